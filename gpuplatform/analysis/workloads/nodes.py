"""The kinds of node that a stack has or can launch: labels, taints, and the platform's pods that belong there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from gpuplatform.analysis.placement.pod import PodAsk, tolerates, unmet
from gpuplatform.catalog.instance_types import InstanceType, instance_type
from gpuplatform.plan.node_pools import PlannedNodePool, plan, taints_without_cards
from gpuplatform.settings.pools import NeuronPool, Provisioner, Sharing
from gpuplatform.settings.settings import Settings
from gpuplatform.standard import keys
from gpuplatform.standard.instance_labels import instance_labels
from gpuplatform.standard.sheets.sheet import Mark, MeantFor
from gpuplatform.standard.taints import SYSTEM_TAINT, Taint, system_labels


@dataclass(frozen=True, slots=True)
class NodeKind:
    """Nodes that do not differ for a pod of the platform."""

    name: str
    """In words, for a message."""
    labels: Mapping[str, str]
    """All labels of the node, including those that operators add."""
    taints: tuple[Taint, ...]
    places: frozenset[MeantFor]
    count: int | None = None
    """The number of such nodes; None where it depends on the work."""


def node_kinds(
    settings: Settings, pool_labels: Callable[[PlannedNodePool], Mapping[str, str]], marks: Iterable[Mark]
) -> tuple[NodeKind, ...]:
    """Every kind of node of a stack, the system nodes first.

    ``pool_labels`` returns the labels of a GPU pool's nodes; ``marks`` are the labels that operators add to nodes.
    """
    all_marks = tuple(marks)
    return tuple(
        _marked(kind, all_marks) for kind in (*_system(settings), *_gpu(settings, pool_labels), *_others(settings))
    )


def stands(ask: PodAsk, node: NodeKind) -> bool:
    """Whether labels and taints allow a pod on such a node."""
    return all(tolerates(ask.tolerations, taint) for taint in node.taints) and any(
        not unmet(alternative, node.labels) for alternative in ask.alternatives
    )


def obstacles(ask: PodAsk, node: NodeKind) -> tuple[str, ...]:
    """The obstacles that keep a pod off such a node, in words; empty where there are none."""
    taints = tuple(
        f"does not tolerate the taint {taint.key}={taint.value}:{taint.effect.value}"
        for taint in node.taints
        if not tolerates(ask.tolerations, taint)
    )
    unmet_requirements = min((unmet(alternative, node.labels) for alternative in ask.alternatives), key=len, default=())
    return (*taints, *(f"selects {demand}" for demand in unmet_requirements))


def _system(settings: Settings) -> Iterator[NodeKind]:
    for name in settings.system_nodes.instance_types:
        yield NodeKind(
            name=f"a system node ({name})",
            labels={**_plain(name), **system_labels()},
            taints=(SYSTEM_TAINT,),
            places=frozenset({MeantFor.SYSTEM, MeantFor.EVERY_NODE}),
            count=settings.system_nodes.nodes,
        )


def _gpu(settings: Settings, pool_labels: Callable[[PlannedNodePool], Mapping[str, str]]) -> Iterator[NodeKind]:
    for planned in plan(settings.pools, settings.network.zones):
        by_karpenter = planned.pool.provisioner is Provisioner.KARPENTER
        for node_type in planned.types:
            labels_of_type = (
                {**instance_labels(node_type.name), keys.NODEPOOL: planned.name}
                if by_karpenter
                else _plain(node_type.name)
            )
            yield NodeKind(
                name=f"a node of {planned.name} ({node_type.name})",
                labels={**labels_of_type, **pool_labels(planned)},
                taints=planned.taints,
                places=_gpu_places(planned, node_type),
                count=planned.replicas,
            )


def _gpu_places(planned: PlannedNodePool, node_type: InstanceType) -> frozenset[MeantFor]:
    pool = planned.pool
    places = {MeantFor.EVERY_NODE, MeantFor.GPU_NODES}
    if pool.efa and node_type.efa_interfaces:
        places.add(MeantFor.EFA_NODES)
    if pool.dra:
        return frozenset({*places, MeantFor.CLAIM_NODES})
    if planned.card.mig_table is not None:
        places.add(MeantFor.MIG_NODES)
    if isinstance(pool.sharing, Sharing) and pool.sharing.mps is not None:
        places.add(MeantFor.MPS_NODES)
    return frozenset({*places, MeantFor.PLUGIN_NODES})


def _others(settings: Settings) -> Iterator[NodeKind]:
    for pool in (*settings.cpu_pools, *settings.neuron_pools):
        places = {MeantFor.EVERY_NODE, MeantFor.NEURON_NODES} if isinstance(pool, NeuronPool) else {MeantFor.EVERY_NODE}
        for name in pool.instance_types:
            yield NodeKind(
                name=f"a node of {pool.name} ({name})",
                labels={**instance_labels(name), keys.NODEPOOL: pool.name},
                taints=taints_without_cards(pool),
                places=frozenset(places),
            )


def _plain(name: str) -> dict[str, str]:
    """The labels that Kubernetes sets on every node; nodes of Karpenter have more."""
    node_type = instance_type(name)
    architecture = node_type.architecture if node_type else "amd64"
    return {keys.INSTANCE_TYPE: name, keys.ARCHITECTURE: architecture, keys.OPERATING_SYSTEM: "linux"}


def _marked(kind: NodeKind, marks: tuple[Mark, ...]) -> NodeKind:
    added_labels = {key: value for mark in marks if mark.place in kind.places for key, value in mark.labels.items()}
    return NodeKind(kind.name, {**kind.labels, **added_labels}, kind.taints, kind.places, kind.count)
