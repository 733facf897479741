"""A day on a cluster of its own: apply, wait until nothing moves, and read the bill."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gpuplatform.render.document import Document, a, name_of, namespace_of
from gpuplatform.render.stack import Rendered, render
from gpuplatform.settings.settings import Settings
from gpuplatform.standard import resources
from sandbox.cluster import Cluster, ClusterCommands, cluster
from sandbox.market import ec2_of
from sandbox.operator import operator_documents
from tests.bench.placement.baselines import NODE_CLASS, Baseline
from tests.bench.placement.pods import MEANT

_SETTLED_SECONDS = 300.0
_TAINTED = [{"key": resources.GPU, "operator": "Exists", "effect": "NoSchedule"}]
_OPERATOR_DEFAULTS: Document = {
    "daemonsets": {"tolerations": _TAINTED},
    "node-feature-discovery": {"worker": {"tolerations": _TAINTED}},
}
"""What the chart tolerates where nobody says otherwise (NVIDIA/gpu-operator v26.7.0, values.yaml): the designs compared
say nothing of the operator, and ours would not reach their nodes."""


@dataclass(frozen=True, slots=True)
class Day:
    """What became of a day."""

    usd_per_hour: float
    running: int
    astray: int
    """Pods on a NodePool that they did not mean; of pods that mean none, 0."""
    moving: tuple[str, ...]
    """What had not settled at the limit."""
    nodes: Counter[str]
    """By NodePool, type and market."""
    waiting: tuple[str, ...]
    """Why pods wait, each reason once."""


def on_our_pools(settings: Settings, commands: ClusterCommands, workload: Sequence[Document]) -> Day:
    """On the stack as it is rendered."""
    rendered = render(settings)
    with (
        tempfile.TemporaryDirectory(prefix="gpu-platform-day-") as folder,
        cluster(Path(folder), commands, ec2_of(settings), rendered.karpenter_values, kinds_of=rendered.documents) as on,
    ):
        on.apply_stack(rendered)
        # Static nodes are there before the day begins.
        on.settle(_SETTLED_SECONDS)
        return _day(on, workload)


def on_their_pools(settings: Settings, commands: ClusterCommands, of: Baseline) -> Day:
    """On a cluster that has the other design's pools and nothing else of the stack."""
    rendered = render(settings)
    namespaces = {str(namespace_of(each)) for each in of.workload}
    with (
        tempfile.TemporaryDirectory(prefix="gpu-platform-day-") as folder,
        cluster(Path(folder), commands, ec2_of(settings), rendered.karpenter_values, kinds_of=()) as on,
    ):
        namespace = name_of(rendered.operator_namespace)
        operator = (rendered.operator_namespace, *operator_documents(_OPERATOR_DEFAULTS, namespace))
        on.apply([*(a("v1", "Namespace", each) for each in namespaces), *operator, _node_class(rendered)])
        on.apply(of.node_pools)
        return _day(on, of.workload)


def _day(on: Cluster, workload: Sequence[Document]) -> Day:
    on.apply(workload)
    moving = on.settle(_SETTLED_SECONDS)
    nodes = {each.name: each for each in on.nodes()}
    pods = [each for each in on.pods() if "app" in each.labels]
    meant = [(each.labels.get(MEANT), nodes[each.node].nodepool) for each in pods if each.node in nodes]
    return Day(
        on.usd_per_hour(),
        sum(each.phase == "Running" for each in pods),
        sum(wanted is not None and wanted != found for wanted, found in meant),
        moving,
        Counter(f"{each.nodepool} {each.instance_type} {each.market.value}" for each in nodes.values()),
        tuple(dict.fromkeys(f"{each.labels['app']}: {each.why}" for each in pods if each.node is None)),
    )


def _node_class(rendered: Rendered) -> Document:
    return rendered.node_classes[0] | {"metadata": {"name": NODE_CLASS}}
