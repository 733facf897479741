"""Pools of other designs: those of the Karpenter guide, and one pool of all of a stack's types."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gpuplatform.catalog.cards import card
from gpuplatform.catalog.instance_types import InstanceType, instance_types
from gpuplatform.plan.node_pools import plan
from gpuplatform.render.document import Document, kubernetes_object
from gpuplatform.render.nodepools import API_VERSION, node_class_ref, requirement
from gpuplatform.settings.settings import Settings
from gpuplatform.standard import keys, resources
from gpuplatform.standard.labels import Purpose
from tests.bench.placement.pods import on_whole_cards
from tests.bench.placement.workload import Row

NODE_CLASS = "baseline"
_WORKLOAD = "workload"
_TAINT = {"key": resources.GPU, "value": "true", "effect": "NoSchedule"}
_SMALL = ("t4", "a10g", "l4")
_TRAINING = ("a100", "h100", "a10g")


@dataclass(frozen=True, slots=True)
class Baseline:
    """Pools of another design, and the day's workloads in the labels of that design."""

    title: str
    node_pools: tuple[Document, ...]
    workload: tuple[Document, ...]


def guide(rows: Sequence[Row], zones: Sequence[str], *, lifted: int | None) -> Baseline:
    """The four pools of the Karpenter guide; every ceiling is multiplied by ``lifted``."""
    more = lifted or 1
    zoned = requirement(keys.ZONE, *zones)
    some: Document = {"key": keys.INSTANCE_GPU_COUNT, "operator": "Gt", "values": ["0"]}
    sizes = ("xlarge", "2xlarge", "4xlarge")
    pools = (
        _pool(
            "gpu-general",
            "ai-ml",
            80,
            {resources.CPU: str(500 * more), "memory": f"{2000 * more}Gi", resources.GPU: str(100 * more)},
            some,
            requirement(keys.INSTANCE_CATEGORY, "g", "p"),
            requirement(keys.CAPACITY_TYPE, "on-demand", "spot"),
            zoned,
        ),
        _pool(
            "gpu-inference",
            "inference",
            60,
            {resources.GPU: str(50 * more)},
            requirement(keys.INSTANCE_GPU_NAME, *_SMALL),
            requirement(keys.CAPACITY_TYPE, "spot", "on-demand"),
            requirement(keys.INSTANCE_SIZE, *sizes),
        ),
        _pool(
            "gpu-training",
            "training",
            90,
            {resources.GPU: str(32 * more)},
            requirement(keys.INSTANCE_GPU_NAME, *_TRAINING),
            requirement(keys.CAPACITY_TYPE, "on-demand"),
            some,
        ),
        _pool(
            "gpu-spot-inference",
            "inference",
            70,
            {resources.GPU: str(40 * more)},
            requirement(keys.CAPACITY_TYPE, "spot"),
            requirement(keys.INSTANCE_GPU_NAME, *_SMALL),
            requirement(keys.INSTANCE_SIZE, *sizes, "8xlarge", "12xlarge"),
            zoned,
        ),
    )
    title = "the Karpenter guide's pools as written" if lifted is None else "the same, ceilings lifted"
    return Baseline(title, pools, tuple(_on_guide(row) for row in rows))


def undivided(rows: Sequence[Row], settings: Settings) -> Baseline:
    """One pool of every type that the stack's GPU pools buy; a pod says which cards are large enough."""
    node_pools = plan(settings.pools, settings.network.zones)
    types = tuple(
        {instance_type.name: instance_type for planned in node_pools for instance_type in planned.types}.values()
    )
    pool = _pool(
        "gpu",
        "any",
        1,
        {},
        requirement(keys.INSTANCE_TYPE, *(instance_type.name for instance_type in types)),
        requirement(keys.CAPACITY_TYPE, "on-demand", "spot"),
        requirement(keys.ZONE, *settings.network.zones),
    )
    workload = tuple(on_whole_cards(row, _fitting(row, types), {}) for row in rows)
    return Baseline("one undivided pool of our types", (pool,), workload)


def _on_guide(row: Row) -> Document:
    """The pool made for the row's purpose where one of its cards is large enough, else the general one."""
    workload, names = {
        Purpose.INFER: ("inference", _SMALL),
        Purpose.TRAIN: ("training", _TRAINING),
        Purpose.DEV: ("ai-ml", ()),
    }[row.purpose]
    everything = instance_types().values()
    fitting = _fitting(
        row, (instance_type for instance_type in everything if not names or _gpu_name(instance_type) in names)
    )
    if not fitting:
        workload, fitting = "ai-ml", _fitting(row, everything)
    return on_whole_cards(row, fitting, {_WORKLOAD: workload})


def _fitting(row: Row, types: Iterable[InstanceType]) -> list[str]:
    """Types whose cards are large enough. The design itself, which is measured, decides the rest."""
    return [
        instance_type.name
        for instance_type in types
        if (sold := card(instance_type.card or ""))
        and sold.memory_gb >= row.memory_gib
        and instance_type.architecture == "amd64"
    ]


def _gpu_name(instance_type: InstanceType) -> str:
    sold = card(instance_type.card or "")
    return sold.karpenter_gpu_name if sold else ""


def _pool(name: str, workload: str, weight: int, limits: dict[str, str], *requirements: Document) -> Document:
    template = {
        "metadata": {"labels": {_WORKLOAD: workload}},
        "spec": {
            "nodeClassRef": node_class_ref(NODE_CLASS),
            "requirements": [*requirements, requirement(keys.ARCHITECTURE, "amd64")],
            "taints": [_TAINT],
            "expireAfter": "720h",
        },
    }
    disruption = {"consolidationPolicy": "WhenEmpty", "consolidateAfter": "5m"}
    spec: Document = {"template": template, "weight": weight, "disruption": disruption}
    if limits:
        spec["limits"] = limits
    return kubernetes_object(API_VERSION, "NodePool", name, spec=spec)
