"""The proof of one layout on one card."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass

from gpuplatform.catalog.mig import MigGeometry, parse_profile
from gpuplatform.faults import Fault
from gpuplatform.proofs.mig.layout import Layout, Placed, instances, place
from gpuplatform.proofs.mig.listing import also_fits, reaches
from gpuplatform.proofs.mig.reasons import why_not

_NEAREST = 3


@dataclass(frozen=True, slots=True)
class Proof:
    """What is true of one layout on one card."""

    layout: Layout
    legal: bool
    placed: tuple[Placed, ...] = ()
    """One arrangement that works, by start; empty when there is none."""
    free_compute: int = 0
    """Compute slices that this layout leaves unused."""
    free_memory: int = 0
    """Memory slices that this layout leaves unused."""
    stranded_compute: int = 0
    """Of the unused compute slices, those that no further instance can use, whatever is added."""
    stranded_memory: int = 0
    """Of the unused memory slices, those that no further instance can use, whatever is added."""
    reason: str = ""
    """Which rule an illegal layout breaks and which slices collide; empty when legal."""
    nearest: tuple[Layout, ...] = ()
    """For an illegal layout: legal ones, nearest first."""
    also_fits: tuple[Layout, ...] = ()
    """For a legal layout: what can be added, one profile each, so these are alternatives to each other."""


def prove(geometry: MigGeometry, wanted: Mapping[str, int]) -> Proof:
    """Whether the card can hold so many instances of each profile, with the arrangement or the reason why not."""
    return _prove(geometry, Layout.of(wanted))


def layout_fault(path: str, geometry: MigGeometry, wanted: Mapping[str, int]) -> Fault | None:
    """The one fault of a layout that its card cannot hold, with the nearest legal choices; none when it can."""
    proof = prove(geometry, wanted)
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
    """The legal layouts that give up the fewest instances, then add the fewest, plain before special, fullest first."""
    wanted: dict[str, int] = {}
    for name, count in layout.counts:
        own = _nearest_profile(geometry, name)
        if own is None:
            return ()
        wanted[own] = wanted.get(own, 0) + max(count, 0)

    reach = reaches(geometry)
    plain = {profile.name for profile in geometry.profiles if profile.attribute is None}

    def distance(legal: Layout) -> tuple[int, int, int, int, int]:
        have = legal.as_dict()
        given_up = sum(max(0, count - have.get(name, 0)) for name, count in wanted.items())
        added = {name: max(0, count - wanted.get(name, 0)) for name, count in have.items()}
        special = sum(count for name, count in added.items() if name not in plain)
        return given_up, sum(added.values()), special, -reach[legal].compute, -reach[legal].memory

    return tuple(sorted(reach, key=distance)[:_NEAREST])


def _nearest_profile(geometry: MigGeometry, name: str) -> str | None:
    """The card's own profile that stands nearest to a name: the same slices first, then attribute, then memory."""
    parsed = parse_profile(name)
    if parsed is None:
        return next((profile.name for profile in geometry.profiles if profile.label_value == name), None)
    return min(
        geometry.profiles,
        key=lambda p: (
            abs(p.compute_slices - parsed.compute_slices),
            p.attribute != parsed.attribute,
            abs(p.memory_gb - parsed.memory_gb),
        ),
    ).name
