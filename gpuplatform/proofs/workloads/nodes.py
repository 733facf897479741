"""The kinds of node that a stack has or can launch: labels, taints, and which of the platform's pods belong there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from gpuplatform.catalog.instance_types import InstanceType, instance_type
from gpuplatform.proofs.capture.pod import PodAsk, tolerates, unmet
from gpuplatform.proofs.truth import well_known
from gpuplatform.settings.other_pools import NeuronPool
from gpuplatform.settings.plan import PlannedNodePool, plan, taints_without_cards
from gpuplatform.settings.pools import Provisioner, Sharing
from gpuplatform.settings.settings import Settings
from gpuplatform.standard import keys
from gpuplatform.standard.sheets.sheet import Mark, Place
from gpuplatform.standard.system_nodes import system_labels
from gpuplatform.standard.taints import SYSTEM_TAINT, Taint


@dataclass(frozen=True, slots=True)
class NodeKind:
    """Nodes that are alike to a pod of the platform."""

    name: str
    """In words, for a message."""
    labels: Mapping[str, str]
    """With those that operators write on it."""
    taints: tuple[Taint, ...]
    places: frozenset[Place]
    count: int | None = None
    """How many there are; None where it depends on the work."""


def node_kinds(
    settings: Settings, pool_labels: Callable[[PlannedNodePool], Mapping[str, str]], marks: Iterable[Mark]
) -> tuple[NodeKind, ...]:
    """Every kind of node of a stack, the system nodes first.

    ``pool_labels`` tells what a GPU pool's nodes wear, ``marks`` what operators write on nodes.
    """
    written = tuple(marks)
    return tuple(
        _marked(kind, written) for kind in (*_system(settings), *_gpu(settings, pool_labels), *_others(settings))
    )


def stands(ask: PodAsk, node: NodeKind) -> bool:
    """Whether a pod can stand on such a node, as far as labels and taints decide."""
    return all(tolerates(ask.tolerations, taint) for taint in node.taints) and any(
        not unmet(alternative, node.labels) for alternative in ask.alternatives
    )


def obstacles(ask: PodAsk, node: NodeKind) -> tuple[str, ...]:
    """What keeps a pod off such a node, in words; empty where it stands there."""
    taints = tuple(
        f"does not tolerate the taint {taint.key}={taint.value}:{taint.effect.value}"
        for taint in node.taints
        if not tolerates(ask.tolerations, taint)
    )
    lacking = min((unmet(alternative, node.labels) for alternative in ask.alternatives), key=len, default=())
    return (*taints, *(f"selects {demand}" for demand in lacking))


def _system(settings: Settings) -> Iterator[NodeKind]:
    for name in settings.system_nodes.instance_types:
        yield NodeKind(
            name=f"a system node ({name})",
            labels={**_plain(name), **system_labels()},
            taints=(SYSTEM_TAINT,),
            places=frozenset({Place.SYSTEM, Place.EVERY_NODE}),
            count=settings.system_nodes.nodes,
        )


def _gpu(settings: Settings, pool_labels: Callable[[PlannedNodePool], Mapping[str, str]]) -> Iterator[NodeKind]:
    for planned in plan(settings.pools, settings.network.zones):
        by_karpenter = planned.pool.provisioner is Provisioner.KARPENTER
        for offered in planned.types:
            known = {**well_known(offered.name), keys.NODEPOOL: planned.name} if by_karpenter else _plain(offered.name)
            yield NodeKind(
                name=f"a node of {planned.name} ({offered.name})",
                labels={**known, **pool_labels(planned)},
                taints=planned.taints,
                places=_gpu_places(planned, offered),
                count=planned.replicas,
            )


def _gpu_places(planned: PlannedNodePool, offered: InstanceType) -> frozenset[Place]:
    pool = planned.pool
    places = {Place.EVERY_NODE, Place.GPU_NODES}
    if pool.efa and offered.efa_interfaces:
        places.add(Place.EFA_NODES)
    if pool.dra:
        return frozenset({*places, Place.CLAIM_NODES})
    if planned.card.mig_table is not None:
        places.add(Place.MIG_NODES)
    if isinstance(pool.sharing, Sharing) and pool.sharing.mps is not None:
        places.add(Place.MPS_NODES)
    return frozenset({*places, Place.PLUGIN_NODES})


def _others(settings: Settings) -> Iterator[NodeKind]:
    for pool in (*settings.cpu_pools, *settings.neuron_pools):
        places = {Place.EVERY_NODE, Place.NEURON_NODES} if isinstance(pool, NeuronPool) else {Place.EVERY_NODE}
        for name in pool.instance_types:
            yield NodeKind(
                name=f"a node of {pool.name} ({name})",
                labels={**well_known(name), keys.NODEPOOL: pool.name},
                taints=taints_without_cards(pool),
                places=frozenset(places),
            )


def _plain(name: str) -> dict[str, str]:
    """What Kubernetes alone says of a node; more only where Karpenter made it."""
    known = instance_type(name)
    architecture = known.architecture if known else "amd64"
    return {keys.INSTANCE_TYPE: name, keys.ARCHITECTURE: architecture, keys.OPERATING_SYSTEM: "linux"}


def _marked(kind: NodeKind, marks: tuple[Mark, ...]) -> NodeKind:
    written = {key: value for mark in marks if mark.place in kind.places for key, value in mark.labels.items()}
    return NodeKind(kind.name, {**kind.labels, **written}, kind.taints, kind.places, kind.count)
