"""The MIG profiles of every NVIDIA card, and the positions at which each profile may start on the card.

The figures are in ``data/mig_profiles.csv`` and ``data/mig_devices.csv``, each row with its public source and the day
it was read. ``placement_status`` in the first file says which placements were listed by a card (`measured`) and which
are taken from the same die or the memory fractions of the MIG User Guide.

Cards without published placements (RTX PRO 4500, the 189 GB GB200 board) have profile names and no geometry. Nothing
can be proven about them; :func:`unplaced` names them, so that a check can report them.
"""

from __future__ import annotations

import csv
import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

_DATA = Path(__file__).parent / "data"
_NAME = re.compile(
    r"(?:(?P<instances>[1-9]\d?)c\.)?(?P<slices>[1-9]\d?)g\.(?P<memory>[1-9]\d{0,3})gb"
    r"(?P<attribute>[+-](?:me\.all|me|gfx))?",
    re.ASCII,
)
_DEVICE = re.compile(r"(?P<device>0x[0-9a-f]{8})(?::0x[0-9a-f]{8})?", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ProfileName:
    """A profile's name taken apart, whether or not any card has it."""

    compute_instances: int | None
    """The number before ``c``: a compute instance inside a larger GPU instance; None for a whole GPU instance."""
    compute_slices: int
    memory_gb: int
    attribute: str | None


@dataclass(frozen=True, slots=True)
class MigProfile:
    """One way to cut a piece from one card."""

    name: str
    """As in settings, layouts and nvidia-smi: ``1g.10gb``, ``1g.10gb+me``."""
    compute_slices: int
    """The number before ``g``."""
    memory_slices: int
    """How many of the card's memory units one instance covers, from its start on."""
    memory_gb: int
    """The number in the name; the memory that a workload sees is a little less."""
    max_instances: int
    """How many instances fit on an otherwise empty card."""
    placements: tuple[int, ...]
    """Memory units at which an instance may start."""
    profile_id: int
    """The GPU instance profile id that ``nvidia-smi mig -cgi`` takes."""
    attribute: str | None
    """``+me``, ``+me.all``, ``+gfx``, ``-me``, or None."""
    source: str


@dataclass(frozen=True, slots=True)
class MigGeometry:
    """One card model: its slices, and every profile with its allowed starts."""

    card: str
    """``A100-40GB``, ``RTX-PRO-6000-96GB``."""
    compute_slices: int
    memory_slices: int
    profiles: tuple[MigProfile, ...]
    device_ids: tuple[str, ...]
    """PCI ids of the boards, as mig-parted's ``device-filter`` writes them: ``0x20B210DE``."""

    def profile(self, name: str) -> MigProfile | None:
        """The profile of that name, or None when this card lacks it."""
        return next((profile for profile in self.profiles if profile.name == name), None)

    def without_attributes(self) -> MigGeometry:
        """A copy of this geometry without the profiles that have an attribute."""
        return replace(self, profiles=tuple(p for p in self.profiles if p.attribute is None))


@functools.cache
def geometries() -> Mapping[str, MigGeometry]:
    """Every card whose placements are known, by its name, in the catalog's order."""
    device_ids: dict[str, list[str]] = {}
    for row in _rows("mig_devices.csv"):
        device_ids.setdefault(row["card"], []).append(row["device_id"])
    by_card: dict[str, list[dict[str, str]]] = {}
    for row in _rows("mig_profiles.csv"):
        if row["placements"]:
            by_card.setdefault(row["card"], []).append(row)
    return MappingProxyType(
        {
            card: MigGeometry(
                card=card,
                compute_slices=int(rows[0]["card_compute_slices"]),
                memory_slices=int(rows[0]["card_memory_slices"]),
                profiles=tuple(_profile(row) for row in rows),
                device_ids=tuple(device_ids.get(card, ())),
            )
            for card, rows in by_card.items()
        }
    )


def geometry(card: str) -> MigGeometry | None:
    """The geometry of one card; None for a card without MIG or without published placements."""
    return geometries().get(card)


@functools.cache
def unplaced() -> Mapping[str, tuple[str, ...]]:
    """Profile names by card, for the cards that have MIG and whose placements are not published."""
    names: dict[str, tuple[str, ...]] = {}
    for row in _rows("mig_profiles.csv"):
        if not row["placements"]:
            names[row["card"]] = (*names.get(row["card"], ()), row["profile"])
    return MappingProxyType(names)


def parse_profile(name: str) -> ProfileName | None:
    """The parts of a profile name, or None for other text (``[Nc.]Ng.Mgb`` with ``+me``, ``-me``, …)."""
    match = _NAME.fullmatch(name)
    if match is None:
        return None
    instances = match["instances"]
    return ProfileName(
        compute_instances=int(instances) if instances else None,
        compute_slices=int(match["slices"]),
        memory_gb=int(match["memory"]),
        attribute=match["attribute"],
    )


def parse_device(device_id: str) -> str | None:
    """A ``device-filter`` id in lower case without its subsystem, or None for other text."""
    match = _DEVICE.fullmatch(device_id)
    return match["device"].lower() if match else None


def card_of_device(device_id: str) -> str | None:
    """The card of one ``device-filter`` id, or None when no card with published placements has this id."""
    device = parse_device(device_id)
    return None if device is None else _cards_by_device().get(device)


@functools.cache
def _cards_by_device() -> Mapping[str, str]:
    return {row["device_id"].lower(): row["card"] for row in _rows("mig_devices.csv")}


def _rows(file: str) -> list[dict[str, str]]:
    with (_DATA / file).open(encoding="utf-8", newline="") as text:
        return list(csv.DictReader(text))


def _profile(row: Mapping[str, str]) -> MigProfile:
    return MigProfile(
        name=row["profile"],
        compute_slices=int(row["compute_slices"]),
        memory_slices=int(row["memory_slices"]),
        memory_gb=int(row["memory_gb"]),
        max_instances=int(row["max_instances"]),
        placements=tuple(int(start) for start in row["placements"].split()),
        profile_id=int(row["profile_id"]),
        attribute=row["attribute"] or None,
        source=f"{row['profile_source']}; placements {row['placement_status']}: {row['placement_source']}"
        f" (read {row['read_on']})",
    )
