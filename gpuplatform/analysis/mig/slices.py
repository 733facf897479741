"""The slices or shares that each shared pool makes of a card, and the slices that stay unused."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gpuplatform.analysis.mig import prove
from gpuplatform.plan.node_pools import PlannedNodePool, mig_profile, shares_per_card, unit_resource


@dataclass(frozen=True, slots=True)
class Cut:
    """The slices or shares of one card of a pool."""

    pool: str
    card: str
    resource: str
    per_card: int
    unused_compute_slices: int
    unused_memory_slices: int

    def __str__(self) -> str:
        """One line of output."""
        text = f"pool {self.pool}: {self.per_card} {self.resource} on each {self.card}"
        unused = [
            f"{count} {kind} slice{'' if count == 1 else 's'}"
            for count, kind in ((self.unused_compute_slices, "compute"), (self.unused_memory_slices, "memory"))
            if count
        ]
        return f"{text}; unused on each card: {' and '.join(unused)}" if unused else text


def cuts(planned: Iterable[PlannedNodePool]) -> tuple[Cut, ...]:
    """One entry for each shared pool and card, in order."""
    by_pool_and_card: dict[tuple[str, str], Cut] = {}
    for node_pool in planned:
        profile = mig_profile(node_pool.pool)
        if profile is None and shares_per_card(node_pool.pool) is None:
            continue
        compute, memory = _unused(node_pool, profile)
        key = (node_pool.pool.name, node_pool.card.name)
        by_pool_and_card[key] = Cut(*key, unit_resource(node_pool.pool), node_pool.units_per_card, compute, memory)
    return tuple(by_pool_and_card.values())


def _unused(planned: PlannedNodePool, profile: str | None) -> tuple[int, int]:
    table = planned.card.geometry
    if profile is None or table is None:
        return 0, 0
    proof = prove(table, {profile: planned.units_per_card})
    return proof.free_compute, proof.free_memory
