"""Six hours of a cluster as its exporters would tell them, minute by minute: a stand-in, the same in every run."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from dataclasses import dataclass

BEGIN = datetime.datetime(2026, 11, 21, 6, tzinfo=datetime.UTC)
MINUTES = 360
_TRAINING, _SERVING = "worker-a100-80gb-on-demand", "infer-l4-24gb-spot"


@dataclass(frozen=True, slots=True)
class _Node:
    name: str
    nodepool: str
    instance_type: str
    model: str
    purpose: str
    cards: int
    there: range
    """Minutes."""


@dataclass(frozen=True, slots=True)
class _Pod:
    namespace: str
    name: str
    node: str
    resource: str
    amount: int
    runs: range


_NODES = (
    _Node("train-a", _TRAINING, "p4de.24xlarge", "A100", "train", 8, range(MINUTES + 1)),
    _Node("train-b", _TRAINING, "p4de.24xlarge", "A100", "train", 8, range(105, 290)),
    *(
        _Node(f"serve-{name}", _SERVING, "g6.xlarge", "L4", "infer", 1, there)
        for name, there in (
            ("a", range(MINUTES + 1)),
            ("b", range(MINUTES + 1)),
            ("c", range(60, 310)),
            ("d", range(120, 250)),
            ("e", range(130, 230)),
        )
    ),
)
_PODS = (
    _Pod("ml-training", "train-0", "train-a", "nvidia_com_mig_1g_10gb", 49, range(20, 330)),
    _Pod("ml-training", "train-1", "train-b", "nvidia_com_mig_1g_10gb", 56, range(110, 260)),
    *(
        _Pod("ml-serving", f"chat-{node.name}", node.name, "nvidia_com_gpu", 1, range(node.there[2], node.there[-2]))
        for node in _NODES
        if node.nodepool == _SERVING
    ),
)
_WAITING = range(93, 106)


def samples() -> str:
    """The whole time as OpenMetrics."""
    return "".join(f"{line}\n" for line in (*_families(), "# EOF"))


def _families() -> Iterator[str]:
    for node in _NODES:
        kind = f'label_karpenter_sh_nodepool="{node.nodepool}",label_node_kubernetes_io_instance_type'
        yield from _series(f'kube_node_labels{{node="{node.name}",{kind}="{node.instance_type}"}}', node.there, 1)
    for pod in _PODS:
        of = f'namespace="{pod.namespace}",pod="{pod.name}"'
        asks = f'kube_pod_container_resource_requests{{{of},node="{pod.node}",resource="{pod.resource}"}}'
        yield from _series(asks, pod.runs, pod.amount)
        yield from _series(f'kube_pod_status_phase{{{of},phase="Running"}}', pod.runs, 1)
    for minute in range(MINUTES + 1):
        waits = int(minute in _WAITING)
        yield from _series('kube_pod_status_unschedulable{namespace="ml-training",pod="train-1"}', [minute], waits)
    asks = (
        'kube_pod_container_resource_requests{namespace="ml-training",pod="train-1",resource="nvidia_com_mig_1g_10gb"}'
    )
    yield from _series(asks, _WAITING, 56)
    for node in _NODES:
        labels = f'gpu_model="{node.model}",gpu_pool="{node.purpose}",nodepool="{node.nodepool}"'
        busy = {minute for pod in _PODS if pod.node == node.name for minute in pod.runs}
        for card in range(node.cards):
            name = f'DCGM_FI_PROF_GR_ENGINE_ACTIVE{{node="{node.name}",gpu="{card}",{labels}}}'
            for minute in node.there:
                yield from _series(name, [minute], _use(node, card, minute) if minute in busy else 0.01)


def _use(node: _Node, card: int, minute: int) -> float:
    """Training saves a checkpoint every half hour; serving follows its visitors, most of them halfway."""
    if node.purpose == "train":
        return 0.2 if minute % 30 < 4 else 0.86 + 0.01 * (card % 4)
    return round(0.25 + 0.55 * (1 - abs(minute - 180) / 180), 3)


def _series(name: str, minutes: range | list[int], value: float) -> Iterator[str]:
    begin = int(BEGIN.timestamp())
    for minute in minutes:
        yield f"{name} {value} {begin + 60 * minute}"
