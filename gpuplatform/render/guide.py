"""The label guide as a ConfigMap in the cluster (L9): the standard, each pool's block, and whose pools are whose."""

from __future__ import annotations

from collections.abc import Iterable

from gpuplatform.render.block import block
from gpuplatform.render.document import Document, a, as_yaml
from gpuplatform.settings.other_pools import NeuronPool
from gpuplatform.settings.pools import Pool
from gpuplatform.settings.teams import names_of_pools
from gpuplatform.settings.tenants import Tenant
from gpuplatform.standard.labels import STANDARD

NAME = "gpu-node-labels-guide"
"""The name that the operations guide gives it."""
NAMESPACE = "kube-system"


def label_guide(pools: Iterable[Pool], neuron_pools: Iterable[NeuronPool], tenants: Iterable[Tenant]) -> Document:
    """One key for the standard, one for each GPU pool's block, one for each namespace's pools."""
    gpu, neuron = tuple(pools), tuple(neuron_pools)
    data = {"standard": _standard()}
    data |= {f"pool.{pool.name}": as_yaml(block(pool).as_pod_fragment()) for pool in gpu}
    data |= {
        f"namespace.{each.name}": as_yaml({"pools": list(names_of_pools(each, gpu, neuron))})
        for tenant in tenants
        for each in tenant.namespaces
    }
    return a("v1", "ConfigMap", NAME, NAMESPACE, data=data)


def _standard() -> str:
    lines: list[str] = []
    for label in STANDARD:
        values = " | ".join(label.values) if label.values else "as the catalogue names it"
        lines.append(f"{label.level.value} {label.key}: {values}\n  {label.meaning} On {label.required}.\n")
    return "".join(lines)
