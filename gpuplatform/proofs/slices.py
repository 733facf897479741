"""What each shared pool makes of a card: slices or shares, and what is left over and lost (G16)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gpuplatform.catalog.mig import geometry
from gpuplatform.proofs.mig import prove
from gpuplatform.settings.plan import PlannedNodePool, mig_profile, shares_per_card, unit_resource


@dataclass(frozen=True, slots=True)
class Cut:
    """How one card of a pool is shared."""

    pool: str
    card: str
    resource: str
    per_card: int
    unused_compute_slices: int
    unused_memory_slices: int

    def __str__(self) -> str:
        """One line for a person."""
        text = f"pool {self.pool}: {self.per_card} {self.resource} on each {self.card}"
        unused = [
            f"{count} {what} slice{'' if count == 1 else 's'}"
            for count, what in ((self.unused_compute_slices, "compute"), (self.unused_memory_slices, "memory"))
            if count
        ]
        return f"{text}; unused on each card: {' and '.join(unused)}" if unused else text


def cuts(planned: Iterable[PlannedNodePool]) -> tuple[Cut, ...]:
    """One line for each pool and card that is shared, in order."""
    found: dict[tuple[str, str], Cut] = {}
    for each in planned:
        profile = mig_profile(each.pool)
        if profile is None and shares_per_card(each.pool) is None:
            continue
        compute, memory = _unused(each, profile)
        key = (each.pool.name, each.card.name)
        found[key] = Cut(*key, unit_resource(each.pool), each.units_per_card, compute, memory)
    return tuple(found.values())


def _unused(planned: PlannedNodePool, profile: str | None) -> tuple[int, int]:
    table = geometry(planned.card.mig_table) if planned.card.mig_table else None
    if profile is None or table is None:
        return 0, 0
    proof = prove(table, {profile: planned.units_per_card})
    return proof.free_compute, proof.free_memory
