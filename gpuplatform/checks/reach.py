"""Checks that no pool's pods land on another pool, and checks of the pools' own taints."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from itertools import combinations

from gpuplatform.faults import Fault
from gpuplatform.plan.node_pools import PlannedNodePool, plan, reached
from gpuplatform.settings.partial import PartialSettings
from gpuplatform.settings.pools import PoolTaint
from gpuplatform.standard import keys, labels, taints
from gpuplatform.standard.taints import TaintEffect, demands

_Corner = tuple[str, str, str]
_Demands = frozenset[tuple[str, str | None, TaintEffect]]
_MOST_TAINTS = 8
"""A pool with more taints has more subsets of them than there are pools."""


def check_reach(settings: PartialSettings) -> list[Fault]:
    """Faults of pools whose block reaches a NodePool of another pool."""
    # Most pools differ in purpose, role or partition, and the others in their taints. So pools are compared only if the
    # first three are equal and the block tolerates all taints of the other pool.
    alike: dict[_Corner, dict[_Demands, list[PlannedNodePool]]] = defaultdict(lambda: defaultdict(list))
    owners: dict[str, PlannedNodePool] = {}
    for node_pool in plan(settings.whole_pools, settings.zones):
        alike[_corner(node_pool)][demands(node_pool.taints)].append(node_pool)
        owners.setdefault(node_pool.pool.name, node_pool)
    faults: list[Fault] = []
    for name, owner in owners.items():
        candidates = _tolerated(alike[_corner(owner)], demands(owner.taints))
        faults += [_fault(name, other) for other in reached(owner.pool, candidates) if other.pool.name != name]
    return faults


def _tolerated(by_demands: Mapping[_Demands, list[PlannedNodePool]], tolerated: _Demands) -> list[PlannedNodePool]:
    """The NodePools whose taints are all among the tolerated ones."""
    if len(tolerated) > _MOST_TAINTS:
        return [
            node_pool
            for taint_set, node_pools in by_demands.items()
            if taint_set <= tolerated
            for node_pool in node_pools
        ]
    subsets = (frozenset(subset) for size in range(len(tolerated) + 1) for subset in combinations(tolerated, size))
    return [node_pool for subset in subsets for node_pool in by_demands.get(subset, [])]


def _corner(planned: PlannedNodePool) -> _Corner:
    node_labels = planned.labels
    return (
        node_labels[labels.PURPOSE.key],
        node_labels[labels.ROLE.key],
        node_labels.get(labels.MIG_PROFILE.key, labels.MIG_DISABLED),
    )


def _fault(pool: str, other: PlannedNodePool) -> Fault:
    return Fault(
        f"pools[{pool}]",
        f"a block that also reaches the NodePool {other.name} of the pool {other.pool.name!r}",
        "a block that reaches the NodePools of its own pool only",
        f"add a taint to {other.pool.name!r}, or give {pool!r} one card (then its block names {labels.MODEL.key})"
        f" or one market (then it names {keys.CAPACITY_TYPE})",
    )


_STANDARD = (keys.GPU_TAINT, taints.DEDICATED_KEY, keys.NEURON_TAINT)
_FOREIGN_DOMAINS = ("kubernetes.io", "k8s.io", "karpenter.sh", "karpenter.k8s.aws", "nvidia.com", "amazonaws.com")
"""Domains of other projects, whose controllers give their keys a meaning, and may remove taints from ready nodes."""


def check_taints(settings: PartialSettings) -> list[Fault]:
    """Faults of each pool's own taints."""
    return [
        fault
        for pool in settings.pools
        for index, taint in enumerate(pool.taints)
        for fault in _faults(f"pools[{pool.name}].taints[{index}]", taint, pool.taints[:index])
    ]


def _faults(path: str, taint: PoolTaint, earlier_taints: tuple[PoolTaint, ...]) -> list[Fault]:
    domain = taint.key.partition("/")[0] if "/" in taint.key else ""
    if taint.key in _STANDARD or taint.key.startswith(labels.PREFIX):
        allowed = "a key of your own: the platform adds the standard's taints to every GPU node itself"
        return [Fault(f"{path}.key", taint.key, allowed, "remove the taint, or choose another key")]
    if any(domain == foreign or domain.endswith(f".{foreign}") for foreign in _FOREIGN_DOMAINS):
        allowed = f"a key of your own: another project owns {domain} and uses its keys"
        return [Fault(f"{path}.key", taint.key, allowed, "choose another key")]
    if any((taint.key, taint.effect) == (pool_taint.key, pool_taint.effect) for pool_taint in earlier_taints):
        allowed = "each pair of key and effect once: Kubernetes refuses a second"
        return [Fault(path, f"{taint.key}:{taint.effect} again", allowed, "remove one of them")]
    return []
