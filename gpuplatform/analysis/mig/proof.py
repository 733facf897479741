"""The proof of one layout on one card."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass

from gpuplatform.analysis.mig.layout import Layout, Placed, instances, place
from gpuplatform.analysis.mig.listing import also_fits, reaches
from gpuplatform.analysis.mig.reasons import why_not
from gpuplatform.catalog.mig import MigGeometry, parse_profile
from gpuplatform.faults import Fault
from gpuplatform.standard.labels import profile_value

_NEAREST = 3


@dataclass(frozen=True, slots=True)
class Proof:
    """The result of checking one layout on one card."""

    layout: Layout
    legal: bool
    placed: tuple[Placed, ...] = ()
    """One arrangement that works, by start; empty when there is none."""
    free_compute: int = 0
    """Compute slices that this layout leaves unused."""
    free_memory: int = 0
    """Memory slices that this layout leaves unused."""
    stranded_compute: int = 0
    """Unused compute slices that no further instance can use."""
    stranded_memory: int = 0
    """Unused memory slices that no further instance can use."""
    reason: str = ""
    """The rule that an illegal layout breaks, and the slices that collide; empty when legal."""
    nearest: tuple[Layout, ...] = ()
    """For an illegal layout: legal ones, nearest first."""
    also_fits: tuple[Layout, ...] = ()
    """For a legal layout: instances that can be added, of one profile each; they are alternatives to each other."""


def prove(geometry: MigGeometry, counts: Mapping[str, int]) -> Proof:
    """Whether the card can hold so many instances of each profile, with an arrangement or the reason against it."""
    return _prove(geometry, Layout.of(counts))


def layout_fault(path: str, geometry: MigGeometry, counts: Mapping[str, int]) -> Fault | None:
    """The fault of a layout that its card cannot hold, with the nearest legal layouts; None for a legal layout."""
    proof = prove(geometry, counts)
    if proof.legal:
        return None
    choices = " or ".join(f"({layout})" for layout in proof.nearest)
    change = f"use {choices}" if choices else f"use profiles that {geometry.card} has"
    return Fault(path, f"{proof.layout} on {geometry.card}", proof.reason, change)


@functools.lru_cache(maxsize=4096)
def _prove(geometry: MigGeometry, layout: Layout) -> Proof:
    reach = reaches(geometry).get(layout)
    if reach is None:
        return Proof(layout, legal=False, reason=why_not(geometry, layout), nearest=_nearest(geometry, layout))
    return Proof(
        layout,
        legal=True,
        placed=place(instances(geometry, layout)) or (),
        free_compute=geometry.compute_slices - reach.compute,
        free_memory=geometry.memory_slices - reach.memory,
        stranded_compute=geometry.compute_slices - reach.most_compute,
        stranded_memory=geometry.memory_slices - reach.most_memory,
        also_fits=also_fits(geometry, layout),
    )


def _nearest(geometry: MigGeometry, layout: Layout) -> tuple[Layout, ...]:
    """The legal layouts nearest to an illegal one.

    They are ordered by instances given up, instances added, instances added of profiles with attributes, and unused
    slices: the fewest first.
    """
    counts: dict[str, int] = {}
    for name, count in layout.counts:
        profile = _nearest_profile(geometry, name)
        if profile is None:
            return ()
        counts[profile] = counts.get(profile, 0) + max(count, 0)

    reach = reaches(geometry)
    plain = {profile.name for profile in geometry.profiles if profile.attribute is None}

    def distance(legal: Layout) -> tuple[int, int, int, int, int]:
        have = legal.as_dict()
        given_up = sum(max(0, count - have.get(name, 0)) for name, count in counts.items())
        added = {name: max(0, count - counts.get(name, 0)) for name, count in have.items()}
        special = sum(count for name, count in added.items() if name not in plain)
        return given_up, sum(added.values()), special, -reach[legal].compute, -reach[legal].memory

    return tuple(sorted(reach, key=distance)[:_NEAREST])


def _nearest_profile(geometry: MigGeometry, name: str) -> str | None:
    """The card's profile nearest to a name: by compute slices first, then attribute, then memory."""
    parsed = parse_profile(name)
    if parsed is None:
        return next((profile.name for profile in geometry.profiles if profile_value(profile.name) == name), None)
    return min(
        geometry.profiles,
        key=lambda p: (
            abs(p.compute_slices - parsed.compute_slices),
            p.attribute != parsed.attribute,
            abs(p.memory_gb - parsed.memory_gb),
        ),
    ).name
