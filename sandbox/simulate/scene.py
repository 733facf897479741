"""What a cluster looks like at one moment, by workload: where pods are, what they are given, why some wait."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import cast

from gpuplatform.proofs.capture.quantity import quantity
from gpuplatform.render.document import Document, name_of
from sandbox.cluster import Cluster, Node, items
from sandbox.control_plane.kubectl import Kubectl
from sandbox.simulate.owners import CONTROLLERS, Workload, itself, metadata, root, text
from sandbox.simulate.withheld import NotMade, gone, queued, refused

_QUEUED = "workloads.kueue.x-k8s.io"
_ENDED = ("Succeeded", "Failed")


@dataclass(frozen=True, slots=True)
class SeenPod:
    """One pod of a workload."""

    workload: Workload
    name: str
    node: str | None
    """None while it waits; what a person wrote in ``spec.nodeName`` need not be there."""
    requests: Mapping[str, Fraction]
    """Of its containers: CPUs, bytes of memory, cards, slices, shares."""
    scheduler: str
    """What the scheduler says of a pod that waits; empty otherwise."""
    karpenter: str
    """What Karpenter says of it; empty where it says nothing."""


@dataclass(frozen=True, slots=True)
class Scene:
    """Workloads on nodes."""

    pods: tuple[SeenPod, ...]
    not_made: tuple[NotMade, ...]
    nodes: tuple[Node, ...]
    short: frozenset[str]
    """NodePools for which Karpenter asked EC2 in vain."""

    @property
    def usd_per_hour(self) -> float:
        """The bill of all nodes, used or not."""
        return sum(each.usd_per_hour for each in self.nodes)

    @property
    def waiting(self) -> tuple[SeenPod, ...]:
        """Pods that are on no node that is there."""
        there = {each.name for each in self.nodes}
        return tuple(each for each in self.pods if each.node not in there)

    @property
    def all_run(self) -> bool:
        """Whether every pod that was asked for has a node."""
        return not self.waiting and not self.not_made


def scene(of: Cluster, workloads: Iterable[Document]) -> Scene:
    """The cluster as it is; pods that no workload made are left out. Raises SandboxError."""
    written = tuple(workloads)
    asked = {itself(each) for each in written}
    kubectl = of.plane.kubectl
    owners = {itself(each): each for each in items(kubectl, CONTROLLERS, "--all-namespaces")}
    pods = items(kubectl, "pods", "--all-namespaces")
    events = items(kubectl, "events", "--all-namespaces")
    said = {
        (text(each, "involvedObject", "namespace"), text(each, "involvedObject", "name")): str(each.get("message"))
        for each in events
        if each.get("reason") == "FailedScheduling" and each.get("reportingComponent") == "karpenter"
    }
    nodes = of.nodes()
    there = {each.name for each in nodes}
    return Scene(
        pods=tuple(
            sorted(
                (
                    _pod(each, above, said.get((above.namespace, name_of(each)), ""))
                    for each in pods
                    if (above := root(each, owners)) in asked
                    and "deletionTimestamp" not in metadata(each)
                    # A pod that has ended outlives its node.
                    and not (text(each, "status", "phase") in _ENDED and text(each, "spec", "nodeName") not in there)
                ),
                key=lambda each: (each.workload, each.name),
            )
        ),
        not_made=(*refused(events, owners, pods, asked), *_queued(kubectl, asked), *gone(written, pods)),
        nodes=nodes,
        short=frozenset(_short([name_of(each) for each in items(kubectl, "nodepools")], events)),
    )


def undecided_jobs(of: Cluster, workloads: Iterable[Document]) -> tuple[Workload, ...]:
    """Jobs that are suspended though their queue has not said that they wait, or has let them go."""
    asked = {itself(each): each for each in workloads}
    waits = {each.workload for each in _queued(of.plane.kubectl, asked)}
    jobs = items(of.plane.kubectl, "jobs", "--all-namespaces")
    held = [itself(each) for each in jobs if cast(Mapping[str, object], each["spec"]).get("suspend")]
    return tuple(
        each
        for each in held
        if each in asked
        and each not in waits
        and not cast(Mapping[str, object], asked[each]["spec"]).get("suspend")
    )  # fmt: skip


def _queued(kubectl: Kubectl, asked: Iterable[Workload]) -> tuple[NotMade, ...]:
    """None where Kueue is not installed."""
    if not kubectl("get", "crd", _QUEUED).ok:
        return ()
    return queued(items(kubectl, _QUEUED, "--all-namespaces"), asked)


def _short(pools: Sequence[str], events: Sequence[Document]) -> Iterable[str]:
    for each in events:
        about = text(each, "involvedObject", "name")
        if each.get("reason") == "NoCompatibleInstanceTypes":
            yield about
        elif each.get("reason") == "InsufficientCapacityError":
            yield from (pool for pool in pools if about.rpartition("-")[0] == pool)


def _pod(found: Document, workload: Workload, karpenter: str) -> SeenPod:
    spec, status = cast(Mapping[str, object], found["spec"]), cast(Mapping[str, object], found.get("status") or {})
    node = spec.get("nodeName")
    conditions = cast(Sequence[Mapping[str, str]], status.get("conditions") or ())
    why = [
        each.get("message", "") for each in conditions if each["type"] == "PodScheduled" and each["status"] == "False"
    ]
    return SeenPod(
        workload,
        name_of(found),
        None if node is None else str(node),
        _requests(spec),
        why[0] if why and node is None else "",
        karpenter if node is None else "",
    )


def _requests(spec: Mapping[str, object]) -> dict[str, Fraction]:
    """The sum over containers; what ends before they start is left out."""
    total: dict[str, Fraction] = {}
    for container in cast(Sequence[Mapping[str, object]], spec["containers"]):
        resources = cast(Mapping[str, Mapping[str, str]], container.get("resources") or {})
        for name, amount in (resources.get("requests") or {}).items():
            total[name] = total.get(name, Fraction(0)) + (quantity(amount) or 0)
    return total
