"""Which NodePools a pool's generated block reaches: labels match, taints are answered, one pod fits."""

from __future__ import annotations

from collections.abc import Iterable

from gpuplatform.settings.plan import PlannedNodePool, selection_of, taints_of, unit_resource
from gpuplatform.settings.pools import Pool
from gpuplatform.standard import selection, taints


def reached(pool: Pool, candidates: Iterable[PlannedNodePool]) -> tuple[PlannedNodePool, ...]:
    """The NodePools among the candidates on which a pod with the pool's block could land."""
    wanted = selection_of(pool).as_labels()
    answers = taints.tolerations(taints_of(pool))
    resource = unit_resource(pool)
    return tuple(
        candidate
        for candidate in candidates
        if unit_resource(candidate.pool) == resource
        and selection.matches(wanted, candidate.node_labels)
        and not taints.untolerated(candidate.taints, answers)
    )
