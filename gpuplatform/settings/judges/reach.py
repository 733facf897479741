"""No pool's pods may land on another pool: the block of each reaches its own NodePools and no other's."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from itertools import combinations

from gpuplatform.faults import Fault
from gpuplatform.settings.draft import Draft
from gpuplatform.settings.plan import PlannedNodePool, plan
from gpuplatform.settings.reach import reached
from gpuplatform.standard import keys, labels
from gpuplatform.standard.taints import Effect, demands

_Corner = tuple[str, str, str]
_Demands = frozenset[tuple[str, str | None, Effect]]
_MOST_TAINTS = 8
"""Beyond this the subsets of a pool's taints are more than the pools themselves."""


def judge(draft: Draft) -> list[Fault]:
    """Pairs of pools of which one's block reaches a NodePool of the other."""
    # Purpose, role and partition part nearly all pools, and taints the rest: only those alike in the first, with no
    # taint that the block would not answer, are compared.
    alike: dict[_Corner, dict[_Demands, list[PlannedNodePool]]] = defaultdict(lambda: defaultdict(list))
    owners: dict[str, PlannedNodePool] = {}
    for each in plan(draft.whole_pools, draft.zones):
        alike[_corner(each)][demands(each.taints)].append(each)
        owners.setdefault(each.pool.name, each)
    faults: list[Fault] = []
    for name, own in owners.items():
        candidates = _answered(alike[_corner(own)], demands(own.taints))
        faults += [_fault(name, other) for other in reached(own.pool, candidates) if other.pool.name != name]
    return faults


def _answered(by_demands: Mapping[_Demands, list[PlannedNodePool]], answers: _Demands) -> list[PlannedNodePool]:
    """The NodePools that demand nothing beyond the answers."""
    if len(answers) > _MOST_TAINTS:
        return [each for wanted, pools in by_demands.items() if wanted <= answers for each in pools]
    subsets = (frozenset(some) for size in range(len(answers) + 1) for some in combinations(answers, size))
    return [each for subset in subsets for each in by_demands.get(subset, [])]


def _corner(planned: PlannedNodePool) -> _Corner:
    wanted = planned.labels
    return (
        wanted[labels.PURPOSE.key],
        wanted[labels.ROLE.key],
        wanted.get(labels.MIG_PROFILE.key, labels.MIG_DISABLED),
    )


def _fault(pool: str, other: PlannedNodePool) -> Fault:
    return Fault(
        f"pools[{pool}]",
        f"a block that also reaches the NodePool {other.name} of the pool {other.pool.name!r}",
        "a block that reaches every NodePool of its own pool and none of another",
        f"put a taint on {other.pool.name!r}, or give {pool!r} one card (then its block names {labels.MODEL.key})"
        f" or one market (then it names {keys.CAPACITY_TYPE})",
    )
