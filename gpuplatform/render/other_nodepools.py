"""NodePools without NVIDIA cards: CPU of both architectures (N13), Inferentia and Trainium (N14)."""

from __future__ import annotations

from gpuplatform.catalog.instance_types import instance_type
from gpuplatform.render.budgets import disruption_block
from gpuplatform.render.document import Document, a
from gpuplatform.render.nodepools import API_VERSION, expire_after, node_class_ref, requirement
from gpuplatform.settings.disruption import Disruption
from gpuplatform.settings.other_pools import CpuPool, NeuronPool
from gpuplatform.standard import keys, names, resources
from gpuplatform.standard.markets import Market
from gpuplatform.standard.taints import NEURON_TAINT, Taint


def cpu_nodepool(pool: CpuPool, zones: tuple[str, ...]) -> Document:
    """One NodePool for a CPU pool; Karpenter takes the cheapest of its types and markets."""
    limits = {resources.CPU: str(pool.ceiling_vcpus)}
    return _nodepool(
        pool.name, pool.instance_types, pool.markets, zones, limits, (), pool.disruption, pool.expire_after_hours
    )


def neuron_nodepool(pool: NeuronPool, zones: tuple[str, ...]) -> Document:
    """One NodePool for a Neuron pool, behind the Neuron taint."""
    limits = {resources.NEURON: str(pool.ceiling_devices)}
    taints = (NEURON_TAINT,)
    return _nodepool(
        pool.name, pool.instance_types, pool.markets, zones, limits, taints, pool.disruption, pool.expire_after_hours
    )


def _nodepool(
    name: str,
    types: tuple[str, ...],
    markets: tuple[Market, ...],
    zones: tuple[str, ...],
    limits: dict[str, str],
    taints: tuple[Taint, ...],
    disruption: Disruption,
    expire_after_hours: int,
) -> Document:
    architectures = sorted({found.architecture for each in types if (found := instance_type(each))})
    spec: Document = {
        "nodeClassRef": node_class_ref(names.node_class(name)),
        "requirements": [
            requirement(keys.INSTANCE_TYPE, *types),
            requirement(keys.CAPACITY_TYPE, *(market.value for market in markets)),
            requirement(keys.ZONE, *zones),
            requirement(keys.ARCHITECTURE, *architectures),
            requirement(keys.OPERATING_SYSTEM, "linux"),
        ],
    }
    if taints:
        spec["taints"] = [taint.as_document() for taint in taints]
    spec["expireAfter"] = expire_after(expire_after_hours)
    return a(
        API_VERSION,
        "NodePool",
        name,
        spec={"template": {"spec": spec}, "limits": limits, "disruption": disruption_block(disruption)},
    )
