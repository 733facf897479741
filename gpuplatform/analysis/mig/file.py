"""The checks of a mig-parted configuration: cards can hold the layout of each entry, and every device is covered once.

An entry with a device filter is checked on the cards of its ids. An entry without a filter is for any card that has its
profiles: it is checked on the caller's card if there is one, and otherwise refused only if no card can hold it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gpuplatform.analysis.mig import Layout, NodeEntry, prove
from gpuplatform.analysis.mig.config_text import ConfigEntry, read_config
from gpuplatform.analysis.mig.node import coverage_faults
from gpuplatform.catalog.mig import MigGeometry, card_of_device, geometries, unplaced
from gpuplatform.faults import Fault, warning

DEVICES_PER_NODE = 8
"""Cards of one p4d, p4de, p5, p5e, p5en, p6-b200 or p6-b300 instance of the full size."""


@dataclass(frozen=True, slots=True)
class EntryVerdict:
    """The cards that can hold the layout of one entry."""

    path: str
    layout: Layout | None
    """None where MIG is off, or on with no instances."""
    legal_on: tuple[str, ...]
    impossible_on: tuple[str, ...]
    """Cards of the entry that cannot hold it; for an entry without a filter, cards with its profiles that cannot."""


@dataclass(frozen=True, slots=True)
class FileVerdict:
    """The verdicts and faults of a whole configuration."""

    entries: tuple[EntryVerdict, ...]
    faults: tuple[Fault, ...]


def judge(
    text: str,
    card: MigGeometry | None = None,
    devices_per_node: int = DEVICES_PER_NODE,
    name: str = "configuration",
) -> FileVerdict:
    """The verdict on every entry of a configuration, and one fault for each problem.

    ``card`` is the card of entries without a device filter; without ``card`` they are checked on every card.
    ``name`` is the path in faults of the document as a whole, such as the file's path.
    """
    config_text = read_config(text, name)
    faults = list(config_text.faults)
    verdicts: list[EntryVerdict] = []
    for entry in config_text.entries:
        verdict, entry_faults = _judge_entry(entry, card)
        verdicts.append(verdict)
        faults += entry_faults
    by_config: dict[str, list[ConfigEntry]] = {}
    for entry in config_text.entries:
        by_config.setdefault(entry.config, []).append(entry)
    for config, entries in by_config.items():
        if config not in config_text.broken:
            faults += _coverage(f"mig-configs.{config}", entries, card, devices_per_node)
    return FileVerdict(tuple(verdicts), tuple(faults))


def _judge_entry(entry: ConfigEntry, card: MigGeometry | None) -> tuple[EntryVerdict, list[Fault]]:
    filtered = bool(entry.device_filter)
    unknown_ids = [device_id for device_id in entry.device_filter if card_of_device(device_id) is None]
    faults = [
        warning(
            f"{entry.path}.device-filter",
            ", ".join(unknown_ids),
            "the PCI id of a card whose MIG placements are in the catalog",
            "check the id; the layout is not checked for that card",
        )
    ][: len(unknown_ids)]
    if entry.layout is None:
        return EntryVerdict(entry.path, None, _cards(entry), ()), faults
    if filtered:
        candidates = [geometries()[name] for name in _cards(entry)]
    elif card is not None:
        candidates = [card]
    else:
        names = dict(entry.layout.counts)
        candidates = [
            candidate for candidate in geometries().values() if all(candidate.profile(name) for name in names)
        ]
        if not candidates:
            return EntryVerdict(entry.path, entry.layout, (), ()), [*faults, _no_card(entry.path, entry.layout)]
    legal = tuple(candidate.card for candidate in candidates if prove(candidate, entry.layout.as_dict()).legal)
    impossible = [candidate for candidate in candidates if candidate.card not in legal]
    if impossible and (filtered or not legal):
        faults.append(_impossible(entry.path, entry.layout, impossible, legal))
    return EntryVerdict(entry.path, entry.layout, legal, tuple(candidate.card for candidate in impossible)), faults


def _impossible(path: str, layout: Layout, cards: Sequence[MigGeometry], legal: Iterable[str]) -> Fault:
    """One fault for the entry: the reason of the first card, and the names of the cards that can hold the layout."""
    proof = prove(cards[0], layout.as_dict())
    elsewhere = f"; legal on {', '.join(legal)}" if legal else ""
    nearest = " or ".join(f"({choice})" for choice in proof.nearest)
    return Fault(
        f"{path}.mig-devices",
        f"{layout} on {', '.join(card.card for card in cards)}",
        f"{proof.reason}{elsewhere}",
        f"on {cards[0].card}, use {nearest}" if nearest else f"use profiles that {cards[0].card} has",
    )


def _no_card(path: str, layout: Layout) -> Fault:
    """The fault of a layout whose profiles no card has together; a warning where their placements are unpublished."""
    names = set(layout.as_dict())
    for name, profiles in unplaced().items():
        if names <= set(profiles):
            return warning(
                f"{path}.mig-devices",
                f"{layout}, profiles of {name}",
                "a card whose MIG placements are published",
                "try it on the card; the layout is not checked",
            )
    profiles_of_cards = {profile.name for card in geometries().values() for profile in card.profiles}
    unknown_profiles = [name for name, _ in layout.counts if name not in profiles_of_cards]
    why = (
        f"no card has {', '.join(unknown_profiles)}"
        if unknown_profiles
        else "no card has all of these profiles at once"
    )
    return Fault(f"{path}.mig-devices", str(layout), why, "use profiles of one card, and filter by its device ids")


def _coverage(path: str, entries: Sequence[ConfigEntry], card: MigGeometry | None, devices: int) -> list[Fault]:
    """Faults of coverage, once for each set of entries that applies to the node of some card."""
    cards: list[str | None] = [card.card] if card else [None]
    cards += dict.fromkeys(name for entry in entries if entry.device_filter for name in _cards(entry))
    groups = dict.fromkeys(
        tuple(entry for entry in entries if not entry.device_filter or name in _cards(entry)) for name in cards
    )
    faults: list[Fault] = []
    for group in groups:
        if group:
            faults += coverage_faults(
                path, devices, [NodeEntry(entry.path, entry.devices, entry.layout) for entry in group]
            )
    return list(dict.fromkeys(faults))


def _cards(entry: ConfigEntry) -> tuple[str, ...]:
    """The cards of the entry's device filter."""
    return tuple(
        dict.fromkeys(name for device_id in entry.device_filter if (name := card_of_device(device_id)) is not None)
    )
