"""A day on a cluster of its own: apply the workloads, wait until the cluster has settled, and read the bill."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gpuplatform.render.document import Document, kubernetes_object, name_of, namespace_of
from gpuplatform.render.stack import Rendered, render
from gpuplatform.settings.settings import Settings
from gpuplatform.standard import resources
from sandbox.cluster import Cluster, ClusterCommands, cluster
from sandbox.contents import operator_documents
from sandbox.offerings import ec2_of
from tests.bench.placement.baselines import NODE_CLASS, Baseline
from tests.bench.placement.pods import MEANT

_SETTLED_SECONDS = 300.0
_TAINTED = [{"key": resources.GPU, "operator": "Exists", "effect": "NoSchedule"}]
_OPERATOR_DEFAULTS: Document = {
    "daemonsets": {"tolerations": _TAINTED},
    "node-feature-discovery": {"worker": {"tolerations": _TAINTED}},
}
"""The chart's default tolerations (NVIDIA/gpu-operator v26.7.0, values.yaml): the other designs do not configure the
operator, and with our values it would not tolerate their nodes' taints."""


@dataclass(frozen=True, slots=True)
class Day:
    """The result of a day."""

    usd_per_hour: float
    running: int
    astray: int
    """The number of pods on another NodePool than their label names; pods without the label do not count."""
    moving: tuple[str, ...]
    """The objects that had not settled at the time limit."""
    nodes: Counter[str]
    """The number of nodes by NodePool, type and market."""
    waiting: tuple[str, ...]
    """Why pods wait, each reason once."""


def on_our_pools(settings: Settings, commands: ClusterCommands, workload: Sequence[Document]) -> Day:
    """The day on the stack as it is rendered."""
    rendered = render(settings)
    with (
        tempfile.TemporaryDirectory(prefix="gpu-platform-day-") as folder,
        cluster(Path(folder), commands, ec2_of(settings), rendered.karpenter_values, kinds_of=rendered.documents) as on,
    ):
        on.apply_stack(rendered)
        # Static nodes join before the day begins.
        on.settle(_SETTLED_SECONDS)
        return _day(on, workload)


def on_their_pools(settings: Settings, commands: ClusterCommands, of: Baseline) -> Day:
    """The day on a cluster with the other design's pools and without the stack's documents."""
    rendered = render(settings)
    namespaces = {str(namespace_of(document)) for document in of.workload}
    with (
        tempfile.TemporaryDirectory(prefix="gpu-platform-day-") as folder,
        cluster(Path(folder), commands, ec2_of(settings), rendered.karpenter_values, kinds_of=()) as on,
    ):
        namespace = name_of(rendered.operator_namespace)
        operator = (rendered.operator_namespace, *operator_documents(_OPERATOR_DEFAULTS, namespace))
        on.apply(
            [*(kubernetes_object("v1", "Namespace", name) for name in namespaces), *operator, _node_class(rendered)]
        )
        on.apply(of.node_pools)
        return _day(on, of.workload)


def _day(on: Cluster, workload: Sequence[Document]) -> Day:
    on.apply(workload)
    moving = on.settle(_SETTLED_SECONDS)
    nodes = {node.name: node for node in on.nodes()}
    pods = [pod for pod in on.pods() if "app" in pod.labels]
    node_pools = [(pod.labels.get(MEANT), nodes[pod.node].nodepool) for pod in pods if pod.node in nodes]
    return Day(
        on.usd_per_hour(),
        sum(pod.phase == "Running" for pod in pods),
        sum(meant_pool is not None and meant_pool != actual_pool for meant_pool, actual_pool in node_pools),
        moving,
        Counter(f"{node.nodepool} {node.instance_type} {node.market.value}" for node in nodes.values()),
        tuple(dict.fromkeys(f"{pod.labels['app']}: {pod.why}" for pod in pods if pod.node is None)),
    )


def _node_class(rendered: Rendered) -> Document:
    return rendered.node_classes[0] | {"metadata": {"name": NODE_CLASS}}
