"""A whole cluster on this machine, without the engine: a control plane, Karpenter, and what is seen of placement."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterable, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from gpuplatform.render.document import Document, as_yaml, kind_of
from gpuplatform.render.stack import Rendered
from gpuplatform.standard import keys
from gpuplatform.standard.markets import Market
from sandbox.control_plane.commands import full_commands_at_hand
from sandbox.control_plane.control_plane import ControlPlane
from sandbox.control_plane.controllers import FullCommands, await_parts, full_control_plane
from sandbox.control_plane.crds import defining, install_crds, install_files
from sandbox.control_plane.karpenter import Karpenter, karpenter
from sandbox.control_plane.kubectl import Kubectl
from sandbox.control_plane.kueue import KueueCommands, kueue, kueue_at_hand
from sandbox.errors import SandboxError
from sandbox.market import Ec2
from sandbox.operator import operator_documents
from sandbox.requirements import known_requirements
from sandbox.storage import storage
from sandbox.tools.module_files import CHART_CRDS, KARPENTER_CRDS, KUEUE_CRDS, files_at_hand
from sandbox.tools.own import KARPENTER, program_at_hand

_FIRST = ("Namespace", "CustomResourceDefinition", "PriorityClass", "RuntimeClass", "ConfigMap", "ServiceAccount")
"""Kinds that others need when they are applied."""


@dataclass(frozen=True, slots=True)
class ClusterCommands:
    """What a cluster is made of."""

    full: FullCommands
    karpenter: Path
    kueue: KueueCommands
    karpenter_crds: Path
    kueue_crds: Path
    other_crds: tuple[Path, ...]
    """The folders of definitions that a stack's other objects are of."""


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
    """What the scheduler says of a pod that it cannot bind; empty otherwise."""


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
    """What pods can be given of it: ``status.allocatable``."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """A cluster that answers."""

    plane: ControlPlane
    karpenter: Karpenter
    ec2: Ec2

    def apply(self, documents: Iterable[Mapping[str, object]]) -> None:
        """Server-side apply, namespaces first. Raises SandboxError with the API server's words."""
        apply(self.plane.kubectl, documents)

    def apply_stack(self, rendered: Rendered) -> None:
        """Everything that a stack puts into its cluster, the GPU Operator by its stand-in."""
        namespace = str(cast(Mapping[str, object], rendered.operator_namespace["metadata"])["name"])
        release = operator_documents(rendered.gpu_operator_values, namespace)
        pools = {id(each) for each in rendered.node_pools}
        self.apply([*release, *(each for each in rendered.documents if id(each) not in pools)])
        # A node offers what the overlays say only if Karpenter knew them before it bought the node.
        self.apply(rendered.node_pools)

    def delete(self, documents: Iterable[Mapping[str, object]]) -> None:
        """Delete and wait until they are gone."""
        text = "\n---\n".join(as_yaml(each) for each in documents)
        gone = self.plane.kubectl("delete", "--ignore-not-found", "--timeout=110s", "-f", "-", stdin=text)
        if not gone.ok:
            raise SandboxError(gone.err.strip())

    def settle(self, limit_seconds: float = 120.0) -> tuple[str, ...]:
        """Wait until nothing moves; see ``Karpenter.settle``."""
        return self.karpenter.settle(limit_seconds)

    def pods(self, namespace: str | None = None) -> tuple[Pod, ...]:
        """Every pod, or those of a namespace."""
        where = ["--all-namespaces"] if namespace is None else ["--namespace", namespace]
        return tuple(_pod(each) for each in items(self.plane.kubectl, "pods", *where))

    def nodes(self) -> tuple[Node, ...]:
        """Every node that Karpenter bought and that has joined, with its price."""
        found = items(self.plane.kubectl, "nodes", "--selector", keys.NODEPOOL)
        return tuple(_node(each, self.ec2) for each in found)

    def usd_per_hour(self) -> float:
        """The bill of all nodes."""
        return sum(each.usd_per_hour for each in self.nodes())


def cluster_commands_at_hand() -> ClusterCommands | None:
    """All of them, from PATH or the cache; None where one is missing. Nothing is built."""
    full, own, queues = full_commands_at_hand(), program_at_hand(KARPENTER), kueue_at_hand()
    ours, queued = files_at_hand(KARPENTER_CRDS), files_at_hand(KUEUE_CRDS)
    others = [files_at_hand(each) for each in CHART_CRDS if each != KUEUE_CRDS]
    if not (full and own and queues and ours and queued and all(others)):
        return None
    return ClusterCommands(full, own, queues, ours, queued, tuple(each for each in others if each))


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

    It serves what Kubernetes and these two serve, and of other charts' kinds those of the given documents: an API
    server takes half a minute for all of them. What holds for ``control_plane`` holds here.
    """
    documents = tuple(kinds_of)
    # Kueue's chart brings its own.
    charts = commands.other_crds if kueue_values is not None else (commands.kueue_crds, *commands.other_crds)
    others = [file for each in charts for file in defining(each, documents)]
    with full_control_plane(folder, commands.full) as plane, ExitStack() as block:
        install_crds(plane.kubectl, commands.karpenter_crds)
        (folder / "karpenter" / "state.json").unlink(missing_ok=True)
        autoscaler = karpenter(plane, commands.karpenter, ec2.catalogue(), karpenter_values)
        running, part = block.enter_context(autoscaler)
        # While it starts.
        install_files(plane.kubectl, others)
        apply(plane.kubectl, (*storage(), *known_requirements()))
        await_parts((*plane.parts, part), "Karpenter", running.alive)
        parts = [*plane.parts, part]
        if kueue_values is not None:
            parts.append(block.enter_context(kueue(plane, commands.kueue, kueue_values)))
        try:
            yield Cluster(plane, running, ec2)
        finally:
            for each in parts:
                each.kill()


def apply(kubectl: Kubectl, documents: Iterable[Mapping[str, object]]) -> None:
    """Server-side apply, what others need first. Raises SandboxError with the API server's words."""
    ordered = sorted(
        documents, key=lambda each: _FIRST.index(kind_of(each)) if kind_of(each) in _FIRST else len(_FIRST)
    )
    if not ordered:
        return
    applied = kubectl.apply("\n---\n".join(as_yaml(each) for each in ordered))
    if not applied.ok:
        raise SandboxError(applied.err.strip())


def items(kubectl: Kubectl, *arguments: str) -> list[Document]:
    """What ``kubectl get`` lists. Raises SandboxError with the API server's words."""
    listed = kubectl("get", *arguments, "-o", "json")
    if not listed.ok:
        raise SandboxError(listed.err.strip())
    return cast(list[Document], json.loads(listed.out)["items"])


def _pod(found: Document) -> Pod:
    metadata, spec, status = (cast(Mapping[str, object], found[each]) for each in ("metadata", "spec", "status"))
    conditions = cast(list[Mapping[str, str]], status.get("conditions") or [])
    why = [
        each.get("message", "") for each in conditions if each["type"] == "PodScheduled" and each["status"] == "False"
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


def _node(found: Document, ec2: Ec2) -> Node:
    metadata, status = (cast(Mapping[str, object], found[each]) for each in ("metadata", "status"))
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
