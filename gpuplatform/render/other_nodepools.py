"""NodePools without NVIDIA cards: CPU of either architecture (N13), Inferentia and Trainium (N14)."""

from __future__ import annotations

from gpuplatform.render.budgets import disruption_block
from gpuplatform.render.document import Document, a
from gpuplatform.render.nodepools import API_VERSION, expire_after, node_class_ref, requirement
from gpuplatform.settings.other_pools import CpuPool, NeuronPool
from gpuplatform.settings.plan import architectures, taints_without_cards
from gpuplatform.standard import keys, names, resources


def cpu_nodepool(pool: CpuPool, zones: tuple[str, ...]) -> Document:
    """One NodePool for a CPU pool; Karpenter takes the cheapest of its types and markets."""
    return _nodepool(pool, zones, {resources.CPU: str(pool.ceiling_vcpus)})


def neuron_nodepool(pool: NeuronPool, zones: tuple[str, ...]) -> Document:
    """One NodePool for a Neuron pool, behind the Neuron taint."""
    return _nodepool(pool, zones, {resources.NEURON: str(pool.ceiling_devices)})


def _nodepool(pool: CpuPool | NeuronPool, zones: tuple[str, ...], limits: dict[str, str]) -> Document:
    taints = taints_without_cards(pool)
    spec: Document = {
        "nodeClassRef": node_class_ref(names.node_class(pool.name)),
        "requirements": [
            requirement(keys.INSTANCE_TYPE, *pool.instance_types),
            requirement(keys.CAPACITY_TYPE, *(market.value for market in pool.markets)),
            requirement(keys.ZONE, *zones),
            requirement(keys.ARCHITECTURE, *architectures(pool.instance_types)),
            requirement(keys.OPERATING_SYSTEM, "linux"),
        ],
    }
    if taints:
        spec["taints"] = [taint.as_document() for taint in taints]
    spec["expireAfter"] = expire_after(pool.expire_after_hours)
    return a(
        API_VERSION,
        "NodePool",
        pool.name,
        spec={"template": {"spec": spec}, "limits": limits, "disruption": disruption_block(pool.disruption)},
    )
