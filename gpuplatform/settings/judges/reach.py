"""No pool's pods may land on another pool: the block of each reaches its own NodePools and no other's."""

from __future__ import annotations

from collections import defaultdict

from gpuplatform.faults import Fault
from gpuplatform.settings.draft import Draft
from gpuplatform.settings.plan import PlannedNodePool, plan
from gpuplatform.settings.reach import reached
from gpuplatform.standard import keys, labels

_Corner = tuple[str, str, str]


def judge(draft: Draft) -> list[Fault]:
    """Pairs of pools of which one's block reaches a NodePool of the other."""
    planned = plan(draft.whole_pools, draft.zones)
    # Purpose, role and partition part nearly all pools, so only those alike in all three are compared.
    alike: dict[_Corner, list[PlannedNodePool]] = defaultdict(list)
    for each in planned:
        alike[_corner(each)].append(each)
    faults: list[Fault] = []
    for group in alike.values():
        for pool in dict.fromkeys(each.pool.name for each in group):
            own = next(each.pool for each in group if each.pool.name == pool)
            others = (each for each in group if each.pool.name != pool)
            faults += [_fault(pool, other) for other in reached(own, others)]
    return faults


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
