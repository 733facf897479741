"""A layout of one card, and the exact search for the slices of each instance."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gpuplatform.catalog.mig import MigGeometry, MigProfile, parse_profile

_MEDIA = ("+me", "+me.all")
_TIMES = "\u00d7"


@dataclass(frozen=True, slots=True)
class Layout:
    """The number of instances of each profile on one card; equal layouts compare and hash equal."""

    counts: tuple[tuple[str, int], ...]
    """Profile and count, largest profile first, no count of zero. :meth:`of` puts them in this order."""

    @classmethod
    def of(cls, counts: Mapping[str, int]) -> Layout:
        """The layout of a mapping from profile to count, in whatever order it is written."""
        items = [(name, count) for name, count in counts.items() if count]
        return cls(tuple(sorted(items, key=lambda item: _reading_order(item[0]))))

    def as_dict(self) -> dict[str, int]:
        """The counts by profile, as in mig-parted's ``mig-devices``."""
        return dict(self.counts)

    def plus(self, profile: str, change: int) -> Layout:
        """This layout with ``more`` instances of one profile added, or removed where ``more`` is negative."""
        counts = dict(self.counts)
        counts[profile] = counts.get(profile, 0) + change
        return Layout.of(counts)

    def __str__(self) -> str:
        return ", ".join(times(name, count) for name, count in self.counts) or "nothing"


@dataclass(frozen=True, slots=True)
class Placed:
    """One instance and its place on the card."""

    profile: str
    start: int
    """The first memory slice it covers."""
    memory_slices: int

    @property
    def slices(self) -> range:
        """The memory slices it covers."""
        return range(self.start, self.start + self.memory_slices)


def times(profile: str, count: int) -> str:
    """A profile and its count as messages write them."""
    return f"{profile} {_TIMES}{count}"


@functools.cache
def _reading_order(name: str) -> tuple[int, int, str]:
    """Largest first, plain before attributes."""
    parsed = parse_profile(name)
    return (-parsed.compute_slices, -parsed.memory_gb, name) if parsed else (0, 0, name)


def instances(geometry: MigGeometry, layout: Layout) -> list[MigProfile]:
    """The profile of every instance, most memory slices first; profiles that the card lacks are left out."""
    ordered = [(profile, count) for name, count in layout.counts if (profile := geometry.profile(name)) is not None]
    ordered.sort(key=lambda item: -item[0].memory_slices)
    return [profile for profile, count in ordered for _ in range(count)]


def compute_needed(geometry: MigGeometry, layout: Layout) -> int:
    """The sum of the compute slices of all instances."""
    return sum(p.compute_slices * count for name, count in layout.counts if (p := geometry.profile(name)))


def memory_needed(geometry: MigGeometry, layout: Layout) -> int:
    """The sum of the memory slices of all instances."""
    return sum(p.memory_slices * count for name, count in layout.counts if (p := geometry.profile(name)))


def place(profiles: Sequence[MigProfile]) -> tuple[Placed, ...] | None:
    """A place for every instance, by start; None when no arrangement exists.

    Only placements count here: the caller checks the sum of compute slices and the media engines. Instances of one
    profile must be next to each other in ``profiles``; they are interchangeable, so only rising starts are tried.
    """
    placements: list[Placed] = []

    def search(index: int, covered_slices: int) -> bool:
        if index == len(profiles):
            return True
        profile = profiles[index]
        again = index > 0 and profiles[index - 1].name == profile.name
        for start in profile.placements:
            covered = ((1 << profile.memory_slices) - 1) << start
            if covered_slices & covered or (again and start <= placements[-1].start):
                continue
            placements.append(Placed(profile.name, start, profile.memory_slices))
            if search(index + 1, covered_slices | covered):
                return True
            placements.pop()
        return False

    return tuple(sorted(placements, key=lambda instance: instance.start)) if search(0, 0) else None


def media_rule_broken(geometry: MigGeometry, layout: Layout) -> str:
    """The rule of the media engines that the layout breaks, in words; empty when it breaks none.

    One instance of a card may hold the engines (``+me``, or ``+me.all`` where that exists: the single optical flow
    accelerator belongs to both). ``+me.all`` takes every engine, so its neighbours must be ``-me``.
    """
    attributes = [(p.name, p.attribute, count) for name, count in layout.counts if (p := geometry.profile(name))]
    holders = [(name, count) for name, attribute, count in attributes if attribute in _MEDIA]
    if sum(count for _, count in holders) > 1:
        requests = ", ".join(times(name, count) for name, count in holders)
        return f"one instance of a card may hold its media engines (+me or +me.all), and {requests} asks for more"
    if any(attribute == "+me.all" for _, attribute, _ in attributes):
        others = [name for name, attribute, _ in attributes if attribute not in ("+me.all", "-me")]
        if others:
            return f"{holders[0][0]} takes every media engine of the card, so {', '.join(others)} must be a -me profile"
    return ""
