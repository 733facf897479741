"""Every layout that a card can hold, enumerated once for each card and cached."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from gpuplatform.analysis.mig.layout import Layout, compute_needed, media_rule_broken, memory_needed
from gpuplatform.catalog.mig import MigGeometry, MigProfile


@dataclass(frozen=True, slots=True)
class Reach:
    """The slices that a layout uses, and the most that it or any layout containing it can use."""

    compute: int
    memory: int
    most_compute: int
    most_memory: int


def legal_layouts(geometry: MigGeometry) -> tuple[Layout, ...]:
    """Every non-empty layout that the card can hold, each once."""
    return tuple(reaches(geometry))


@functools.cache
def maximal_layouts(geometry: MigGeometry) -> tuple[Layout, ...]:
    """The legal layouts to which no instance of any profile can be added."""
    legal = reaches(geometry)
    return tuple(
        layout for layout in legal if not any(layout.plus(profile.name, 1) in legal for profile in geometry.profiles)
    )


def largest_uniform(geometry: MigGeometry, profile_name: str) -> int:
    """The most instances of one profile on a card that holds nothing else; 0 for a profile that the card lacks."""
    legal = reaches(geometry)
    count = 0
    while Layout(((profile_name, count + 1),)) in legal:
        count += 1
    return count


def also_fits(geometry: MigGeometry, layout: Layout) -> tuple[Layout, ...]:
    """For each profile of which an instance fits beside a legal layout: the most instances of it that fit."""
    legal = reaches(geometry)
    additions: list[Layout] = []
    for profile in geometry.profiles:
        addition = 0
        while layout.plus(profile.name, addition + 1) in legal:
            addition += 1
        if addition:
            additions.append(Layout(((profile.name, addition),)))
    return tuple(additions)


@functools.cache
def reaches(geometry: MigGeometry) -> Mapping[Layout, Reach]:
    """Every legal layout of the card, with the slices that it uses and the most that can be used beside it."""
    placeable = [Layout.of(counts) for counts in _placeable(geometry) if counts]
    legal = {layout for layout in placeable if not media_rule_broken(geometry, layout)}
    reach: dict[Layout, Reach] = {}
    # Larger layouts first: every layout that contains another is computed before the other.
    for layout in sorted(legal, key=lambda candidate: -sum(count for _, count in candidate.counts)):
        compute, memory = compute_needed(geometry, layout), memory_needed(geometry, layout)
        larger = [reach[extended] for p in geometry.profiles if (extended := layout.plus(p.name, 1)) in legal]
        reach[layout] = Reach(
            compute,
            memory,
            max([compute, *(beyond.most_compute for beyond in larger)]),
            max([memory, *(beyond.most_memory for beyond in larger)]),
        )
    return MappingProxyType({layout: reach[layout] for layout in placeable if layout in legal})


def _placeable(geometry: MigGeometry) -> Iterator[dict[str, int]]:
    """Counts that fit by placement and compute slices, the empty layout included.

    Profiles are taken one after another; for each count so far, every set of memory slices that some arrangement
    covers is kept, so a layout is found once however many arrangements it has.
    """

    def extend(index: int, counts: dict[str, int], covered: frozenset[int], compute: int) -> Iterator[dict[str, int]]:
        if index == len(geometry.profiles):
            yield counts
            return
        profile = geometry.profiles[index]
        count = 0
        while covered and compute + count * profile.compute_slices <= geometry.compute_slices:
            here = {**counts, profile.name: count} if count else counts
            yield from extend(index + 1, here, covered, compute + count * profile.compute_slices)
            covered = _one_more(profile, covered)
            count += 1

    return extend(0, {}, frozenset({0}), 0)


def _one_more(profile: MigProfile, covered: frozenset[int]) -> frozenset[int]:
    """Every set of covered slices after one more instance of the profile."""
    shape = (1 << profile.memory_slices) - 1
    return frozenset(
        slices | shape << start for slices in covered for start in profile.placements if not slices & shape << start
    )
