"""The EC2 quotas that a stack needs to reach its ceilings: vCPUs by family and market.

EC2 limits running vCPUs for each class of families, on demand (reservations included) and on spot apart (AWS
documentation, "Amazon EC2 service quotas"; capacity blocks have quotas of their own and are counted here all the same).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from gpuplatform.catalog.instance_types import InstanceType, instance_type
from gpuplatform.settings.draft import Draft
from gpuplatform.settings.plan import PlannedNodePool, plan
from gpuplatform.standard.markets import Market

_CLASSES = {"g": "G and VT", "p": "P", "inf": "Inf", "trn": "Trn"}
_OTHERS = "Standard (A, C, D, H, I, M, R, T, Z)"
_LETTERS = re.compile(r"^[a-z]+")


@dataclass(frozen=True, slots=True)
class VcpuNeed:
    """What one class of instance families needs on one market."""

    families: str
    """As EC2 names the class: ``G and VT``, ``P``."""
    market: str
    """``on-demand`` or ``spot``."""
    vcpus: int


def vcpu_needs(draft: Draft) -> tuple[VcpuNeed, ...]:
    """With every ceiling reached on the sizes that need most; a pool that may use either market needs both."""
    sums: dict[tuple[str, str], int] = {}
    for key, vcpus in _parts(draft):
        sums[key] = sums.get(key, 0) + vcpus
    return tuple(VcpuNeed(*key, vcpus) for key, vcpus in sorted(sums.items()))


def _parts(draft: Draft) -> Iterator[tuple[tuple[str, str], int]]:
    for each in plan(draft.pools, draft.zones):
        for key in {_key(one, each.market.market) for one in each.types}:
            yield key, _largest(key, each)
    for pool in draft.cpu_pools:
        for key in {_key(one, market) for one in _known(pool.instance_types) for market in pool.markets}:
            yield key, pool.ceiling_vcpus
    for pool in draft.neuron_pools:
        for market in pool.markets:
            for key in {_key(one, market) for one in _known(pool.instance_types)}:
                own = [one for one in _known(pool.instance_types) if _key(one, market) == key and one.neuron_devices]
                yield key, max((pool.ceiling_devices // one.neuron_devices * one.vcpus for one in own), default=0)
    if draft.system_nodes is not None:
        sizes = [one.vcpus for one in _known(draft.system_nodes.instance_types)]
        yield (_OTHERS, Market.ON_DEMAND.value), draft.system_nodes.nodes * max(sizes, default=0)


def _largest(key: tuple[str, str], planned: PlannedNodePool) -> int:
    own = [one for one in planned.types if _key(one, planned.market.market) == key and one.cards]
    return max((planned.ceiling_cards // one.cards * one.vcpus for one in own), default=0)


def _known(names: tuple[str, ...]) -> list[InstanceType]:
    return [found for name in names if (found := instance_type(name))]


def _key(one: InstanceType, market: Market) -> tuple[str, str]:
    letters = _LETTERS.match(one.family)
    bought = Market.SPOT if market is Market.SPOT else Market.ON_DEMAND
    return _CLASSES.get(letters[0] if letters else "", _OTHERS), bought.value
