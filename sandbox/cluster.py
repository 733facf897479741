"""A whole cluster on this machine, without the engine: a control plane and Karpenter, and where its pods land."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from gpuplatform.render.document import Document, kind_of
from gpuplatform.render.stack import Rendered
from gpuplatform.standard import keys
from gpuplatform.standard.markets import Market
from sandbox.contents import known_requirements, operator_documents, storage
from sandbox.control_plane.api import Api, Selector
from sandbox.control_plane.control_plane import ControlPlane
from sandbox.control_plane.controllers import FullCommands, await_parts, full_commands_at_hand, full_control_plane
from sandbox.control_plane.crds import defining, install_crds, install_files
from sandbox.control_plane.karpenter import Karpenter, karpenter
from sandbox.control_plane.kueue import KueueCommands, kueue, kueue_at_hand
from sandbox.offerings import Ec2
from sandbox.tools.module_files import CHART_CRDS, KARPENTER_CRDS, KUEUE_CRDS, files_at_hand
from sandbox.tools.own import KARPENTER, program_at_hand

_GONE_SECONDS = 110.0
_FIRST = ("Namespace", "CustomResourceDefinition", "PriorityClass", "RuntimeClass", "ConfigMap", "ServiceAccount")
"""Kinds that are applied first, because objects of other kinds need them."""


@dataclass(frozen=True, slots=True)
class ClusterCommands:
    """The commands and files that a cluster needs."""

    full: FullCommands
    karpenter: Path
    kueue: KueueCommands
    karpenter_crds: Path
    kueue_crds: Path
    other_crds: tuple[Path, ...]
    """The folders of the other charts' CRDs."""


@dataclass(frozen=True, slots=True)
class Pod:
    """A pod and where it is."""

    namespace: str
    name: str
    labels: Mapping[str, str]
    node: str | None
    """None while it is not bound."""
    phase: str
    why: str
    """The scheduler's message about a pod that it cannot bind; empty otherwise."""


@dataclass(frozen=True, slots=True)
class Node:
    """A node that Karpenter bought."""

    name: str
    nodepool: str
    instance_type: str
    zone: str
    market: Market
    usd_per_hour: float
    """List price of the region, spot at the stack's ratio; a reservation is paid for at the on-demand price."""
    offers: Mapping[str, str]
    """The resources that pods may request of it: ``status.allocatable``."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """A running cluster."""

    plane: ControlPlane
    karpenter: Karpenter
    ec2: Ec2

    def apply(self, documents: Iterable[Mapping[str, object]]) -> None:
        """Server-side apply, namespaces first. Raises RefusedError with the API server's message."""
        apply(self.plane.api, documents)

    def apply_stack(self, rendered: Rendered) -> None:
        """Apply every document of a stack; a stand-in takes the GPU Operator's place."""
        namespace = str(cast(Mapping[str, object], rendered.operator_namespace["metadata"])["name"])
        release = operator_documents(rendered.gpu_operator_values, namespace)
        node_pools = [documents.node_pool for documents in rendered.node_pools]
        self.apply([*release, *(document for document in rendered.documents if document not in node_pools)])
        # Karpenter must know the overlays before it buys a node: only then does the node offer what they say.
        self.apply(node_pools)

    def delete(self, documents: Iterable[Mapping[str, object]]) -> None:
        """Delete and wait until they are gone."""
        self.plane.api.delete_all(documents, _GONE_SECONDS)

    def items(
        self,
        version: str,
        kind: str,
        namespace: str | None = None,
        *,
        labels: Selector | None = None,
        fields: Mapping[str, str] | None = None,
    ) -> list[Document]:
        """The objects of a kind in every namespace, or in one, by selectors."""
        return cast(list[Document], self.plane.api.items(version, kind, namespace, labels=labels, fields=fields))

    def settle(self, limit_seconds: float = 120.0) -> tuple[str, ...]:
        """Wait until the cluster has settled; see ``Karpenter.settle``."""
        return self.karpenter.settle(limit_seconds)

    def pods(self, namespace: str | None = None) -> tuple[Pod, ...]:
        """Every pod, or those of a namespace."""
        return tuple(_pod(pod) for pod in self.items("v1", "Pod", namespace))

    def nodes(self) -> tuple[Node, ...]:
        """Every node that Karpenter bought and that has joined, with its price."""
        return tuple(_node(node, self.ec2) for node in self.items("v1", "Node", labels={keys.NODEPOOL: None}))

    def usd_per_hour(self) -> float:
        """The bill of all nodes."""
        return sum(node.usd_per_hour for node in self.nodes())


def cluster_commands_at_hand() -> ClusterCommands | None:
    """Every command and file, from PATH or the cache; None where one is missing. Nothing is built."""
    full, karpenter_program, kueue_commands = full_commands_at_hand(), program_at_hand(KARPENTER), kueue_at_hand()
    karpenter_crds, kueue_crds = files_at_hand(KARPENTER_CRDS), files_at_hand(KUEUE_CRDS)
    others = [files_at_hand(module_files) for module_files in CHART_CRDS if module_files != KUEUE_CRDS]
    if not (full and karpenter_program and kueue_commands and karpenter_crds and kueue_crds and all(others)):
        return None
    other_crds = tuple(folder for folder in others if folder)
    return ClusterCommands(full, karpenter_program, kueue_commands, karpenter_crds, kueue_crds, other_crds)


@contextmanager
def cluster(
    folder: Path,
    commands: ClusterCommands,
    ec2: Ec2,
    karpenter_values: Mapping[str, object],
    kueue_values: Mapping[str, object] | None = None,
    *,
    kinds_of: Iterable[Mapping[str, object]],
) -> Generator[Cluster]:
    """An empty cluster with Karpenter, and with Kueue where its values are given.

    Of the other charts' CRDs, only those of the kinds in ``kinds_of`` are installed: an API server takes half a minute
    to serve all of them. The rules of ``control_plane`` apply here too.
    """
    documents = tuple(kinds_of)
    # Kueue's chart brings its own CRDs.
    charts = commands.other_crds if kueue_values is not None else (commands.kueue_crds, *commands.other_crds)
    others = [file for chart in charts for file in defining(chart, documents)]
    with full_control_plane(folder, commands.full) as plane, ExitStack() as block:
        install_crds(plane.api, commands.karpenter_crds)
        (folder / "karpenter" / "state.json").unlink(missing_ok=True)
        autoscaler = karpenter(plane, commands.karpenter, ec2.catalog(), karpenter_values)
        running, part = block.enter_context(autoscaler)
        # These are applied while Karpenter starts.
        install_files(plane.api, others)
        apply(plane.api, (*storage(), *known_requirements()))
        await_parts((*plane.parts, part), "Karpenter", running.alive)
        parts = [*plane.parts, part]
        if kueue_values is not None:
            parts.append(block.enter_context(kueue(plane, commands.kueue, kueue_values)))
        try:
            yield Cluster(plane, running, ec2)
        finally:
            for running_part in parts:
                running_part.kill()


def apply(api: Api, documents: Iterable[Mapping[str, object]]) -> None:
    """Server-side apply; the kinds that others need come first. Raises RefusedError with the API server's message."""
    order = {kind: place for place, kind in enumerate(_FIRST)}
    api.put_all(sorted(documents, key=lambda document: order.get(kind_of(document), len(order))))


def _pod(document: Document) -> Pod:
    metadata, spec, status = (cast(Mapping[str, object], document[key]) for key in ("metadata", "spec", "status"))
    conditions = cast(list[Mapping[str, str]], status.get("conditions") or [])
    why = [
        condition.get("message", "")
        for condition in conditions
        if condition["type"] == "PodScheduled" and condition["status"] == "False"
    ]
    node = spec.get("nodeName")
    return Pod(
        str(metadata["namespace"]),
        str(metadata["name"]),
        cast(Mapping[str, str], metadata.get("labels") or {}),
        None if node is None else str(node),
        str(status.get("phase")),
        why[0] if why else "",
    )


def _node(document: Document, ec2: Ec2) -> Node:
    metadata, status = (cast(Mapping[str, object], document[key]) for key in ("metadata", "status"))
    labels = cast(Mapping[str, str], metadata["labels"])
    kind, market = labels[keys.INSTANCE_TYPE], Market(labels[keys.CAPACITY_TYPE])
    return Node(
        str(metadata["name"]),
        labels[keys.NODEPOOL],
        kind,
        labels[keys.ZONE],
        market,
        ec2.usd_per_hour(kind, market),
        cast(Mapping[str, str], status.get("allocatable") or {}),
    )
