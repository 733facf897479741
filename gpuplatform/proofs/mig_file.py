"""Judging a mig-parted configuration: can the cards that each entry is for be cut so, and is every device covered once.

An entry with a device filter is judged on the cards of its ids. An entry without one is for any card that has its
profiles: it is judged on the card in question where one is named, and otherwise refused only if no card can make it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gpuplatform.catalog.mig import MigGeometry, card_of_device, geometries, unplaced
from gpuplatform.faults import Fault, warning
from gpuplatform.proofs.mig import Layout, NodeEntry, prove
from gpuplatform.proofs.mig.config_text import ConfigEntry, read_config
from gpuplatform.proofs.mig.node import coverage_faults

DEVICES_PER_NODE = 8
"""Cards of one p4d, p4de, p5, p5e, p5en, p6-b200 or p6-b300 instance of the full size."""


@dataclass(frozen=True, slots=True)
class EntryVerdict:
    """On which cards one entry can be made."""

    path: str
    layout: Layout | None
    """None where MIG is off, or on with no instances."""
    legal_on: tuple[str, ...]
    impossible_on: tuple[str, ...]
    """Cards that the entry is for and that cannot hold it; for an entry without a filter, cards with its profiles."""


@dataclass(frozen=True, slots=True)
class FileVerdict:
    """What is true of a whole configuration."""

    entries: tuple[EntryVerdict, ...]
    faults: tuple[Fault, ...]


def judge(
    text: str,
    card: MigGeometry | None = None,
    devices_per_node: int = DEVICES_PER_NODE,
    name: str = "configuration",
) -> FileVerdict:
    """Every entry of a configuration judged, with one fault for each thing that is wrong.

    ``card`` is what entries without a device filter are for; without it they are judged on every card.
    ``name`` is what a fault of the document as a whole calls it, such as the file's path.
    """
    read = read_config(text, name)
    faults = list(read.faults)
    verdicts: list[EntryVerdict] = []
    for entry in read.entries:
        verdict, wrong = _judge_entry(entry, card)
        verdicts.append(verdict)
        faults += wrong
    by_config: dict[str, list[ConfigEntry]] = {}
    for entry in read.entries:
        by_config.setdefault(entry.config, []).append(entry)
    for config, entries in by_config.items():
        if config not in read.broken:
            faults += _coverage(f"mig-configs.{config}", entries, card, devices_per_node)
    return FileVerdict(tuple(verdicts), tuple(faults))


def _judge_entry(entry: ConfigEntry, card: MigGeometry | None) -> tuple[EntryVerdict, list[Fault]]:
    filtered = bool(entry.device_filter)
    unknown = [one for one in entry.device_filter if card_of_device(one) is None]
    faults = [
        warning(
            f"{entry.path}.device-filter",
            ", ".join(unknown),
            "the PCI id of a card whose MIG placements are in the catalogue",
            "check the id; nothing is proven for that card",
        )
    ][: len(unknown)]
    if entry.layout is None:
        return EntryVerdict(entry.path, None, _cards(entry), ()), faults
    if filtered:
        candidates = [geometries()[name] for name in _cards(entry)]
    elif card is not None:
        candidates = [card]
    else:
        names = dict(entry.layout.counts)
        candidates = [one for one in geometries().values() if all(one.profile(name) for name in names)]
        if not candidates:
            return EntryVerdict(entry.path, entry.layout, (), ()), [*faults, _no_card(entry.path, entry.layout)]
    legal = tuple(one.card for one in candidates if prove(one, entry.layout.as_dict()).legal)
    impossible = [one for one in candidates if one.card not in legal]
    if impossible and (filtered or not legal):
        faults.append(_impossible(entry.path, entry.layout, impossible, legal))
    return EntryVerdict(entry.path, entry.layout, legal, tuple(one.card for one in impossible)), faults


def _impossible(path: str, layout: Layout, cards: Sequence[MigGeometry], legal: Iterable[str]) -> Fault:
    """One fault for the entry, whose reason is that of the first card; what holds elsewhere is said beside it."""
    proof = prove(cards[0], layout.as_dict())
    elsewhere = f"; legal on {', '.join(legal)}" if legal else ""
    nearest = " or ".join(f"({one})" for one in proof.nearest)
    return Fault(
        f"{path}.mig-devices",
        f"{layout} on {', '.join(one.card for one in cards)}",
        f"{proof.reason}{elsewhere}",
        f"on {cards[0].card}, use {nearest}" if nearest else f"use profiles that {cards[0].card} has",
    )


def _no_card(path: str, layout: Layout) -> Fault:
    """No card of the catalogue has every profile of the layout: refused, unless their placements are unpublished."""
    names = set(layout.as_dict())
    for name, profiles in unplaced().items():
        if names <= set(profiles):
            return warning(
                f"{path}.mig-devices",
                f"{layout}, profiles of {name}",
                "a card whose MIG placements are published",
                "try it on the card; nothing is proven here",
            )
    known = {profile.name for one in geometries().values() for profile in one.profiles}
    missing = [name for name, _ in layout.counts if name not in known]
    why = f"no card has {', '.join(missing)}" if missing else "no card has all of these profiles at once"
    return Fault(f"{path}.mig-devices", str(layout), why, "use profiles of one card, and filter by its device ids")


def _coverage(path: str, entries: Sequence[ConfigEntry], card: MigGeometry | None, devices: int) -> list[Fault]:
    """Faults of coverage, once for each different set of entries that some card's node would apply."""
    cards: list[str | None] = [card.card] if card else [None]
    cards += dict.fromkeys(name for entry in entries if entry.device_filter for name in _cards(entry))
    groups = dict.fromkeys(
        tuple(entry for entry in entries if not entry.device_filter or name in _cards(entry)) for name in cards
    )
    found: list[Fault] = []
    for group in groups:
        if group:
            found += coverage_faults(path, devices, [NodeEntry(one.path, one.devices, one.layout) for one in group])
    return list(dict.fromkeys(found))


def _cards(entry: ConfigEntry) -> tuple[str, ...]:
    """The cards of the entry's device filter."""
    return tuple(dict.fromkeys(name for one in entry.device_filter if (name := card_of_device(one)) is not None))
