"""What a cluster looks like at one moment, by workload: where pods are, what they are given, why some wait."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import cast

from gpuplatform.proofs.capture.quantity import quantity
from gpuplatform.render.document import Document, kind_of, name_of, namespace_of
from sandbox.cluster import Cluster, Node, items
from sandbox.control_plane.kubectl import Kubectl

_QUEUED = "workloads.kueue.x-k8s.io"
_OWNERS = "replicasets,jobs"
"""What stands between a pod and the object that a person wrote."""


@dataclass(frozen=True, slots=True, order=True)
class Workload:
    """The object that a person wrote."""

    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind} {self.namespace}/{self.name}"


@dataclass(frozen=True, slots=True)
class SeenPod:
    """One pod of a workload."""

    workload: Workload
    name: str
    node: str | None
    """None while it waits."""
    requests: Mapping[str, Fraction]
    """Of its containers: CPUs, bytes of memory, cards, slices, shares."""
    scheduler: str
    """What the scheduler says of a pod that waits; empty otherwise."""
    karpenter: str
    """What Karpenter says of it; empty where it says nothing."""


@dataclass(frozen=True, slots=True)
class NotMade:
    """Pods that a quota, admission or a queue keeps from being made."""

    workload: Workload
    says: str


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
        """Pods that are on no node."""
        return tuple(each for each in self.pods if each.node is None)

    @property
    def all_run(self) -> bool:
        """Whether every pod that was asked for has a node."""
        return not self.waiting and not self.not_made


def scene(of: Cluster, workloads: Iterable[Document]) -> Scene:
    """The cluster as it is; pods that no workload made are left out. Raises SandboxError."""
    asked = {Workload(kind_of(each), str(namespace_of(each) or "default"), name_of(each)) for each in workloads}
    kubectl = of.plane.kubectl
    owners = {_itself(each): each for each in items(kubectl, _OWNERS, "--all-namespaces")}
    pods = items(kubectl, "pods", "--all-namespaces")
    events = items(kubectl, "events", "--all-namespaces")
    said = {
        (_text(each, "involvedObject", "namespace"), _text(each, "involvedObject", "name")): str(each.get("message"))
        for each in events
        if each.get("reason") == "FailedScheduling" and each.get("reportingComponent") == "karpenter"
    }
    nodes = of.nodes()
    return Scene(
        pods=tuple(
            sorted(
                (
                    _pod(each, root, said.get((root.namespace, name_of(each)), ""))
                    for each in pods
                    if (root := _root(each, owners)) in asked and "deletionTimestamp" not in _metadata(each)
                ),
                key=lambda each: (each.workload, each.name),
            )
        ),
        not_made=(*_not_made(events, owners, asked), *_queued(kubectl, asked)),
        nodes=nodes,
        short=frozenset(_short([name_of(each) for each in items(kubectl, "nodepools")], events)),
    )


def undecided_jobs(of: Cluster, workloads: Iterable[Document]) -> tuple[Workload, ...]:
    """Jobs that are suspended though their queue has not said that they wait, or has let them go."""
    asked = {_itself(each): each for each in workloads}
    waits = {each.workload for each in _queued(of.plane.kubectl, set(asked))}
    jobs = items(of.plane.kubectl, "jobs", "--all-namespaces")
    held = [_itself(each) for each in jobs if cast(Mapping[str, object], each["spec"]).get("suspend")]
    return tuple(
        each
        for each in held
        if each in asked
        and each not in waits
        and not cast(Mapping[str, object], asked[each]["spec"]).get("suspend")
    )  # fmt: skip


def _queued(kubectl: Kubectl, asked: set[Workload]) -> tuple[NotMade, ...]:
    """Workloads that their queue holds back, in Kueue's words; none where Kueue is not installed."""
    if not kubectl("get", "crd", _QUEUED).ok:
        return ()
    found: list[NotMade] = []
    for each in items(kubectl, _QUEUED, "--all-namespaces"):
        above = _controller(each)
        status = cast(Mapping[str, object], each.get("status") or {})
        conditions = cast(Sequence[Mapping[str, str]], status.get("conditions") or ())
        waits = [one for one in conditions if one["type"] == "QuotaReserved" and one["status"] == "False"]
        if above in asked and waits:
            found.append(NotMade(above, waits[0].get("message", "")))
    return tuple(found)


def _not_made(
    events: Sequence[Document], owners: Mapping[Workload, Document], asked: set[Workload]
) -> tuple[NotMade, ...]:
    found: dict[NotMade, None] = {}
    for each in events:
        if each.get("reason") != "FailedCreate":
            continue
        about = Workload(*(_text(each, "involvedObject", key) for key in ("kind", "namespace", "name")))
        root = _root_of(about, owners)
        if root in asked:
            found[NotMade(root, _without_name(str(each.get("message"))))] = None
    return tuple(found)


def _without_name(message: str) -> str:
    """``Error creating: pods "chat-xyz" is forbidden: exceeded quota`` without the pod's random name."""
    head, _, rest = message.partition(" is forbidden: ")
    return rest if rest and head.startswith("Error creating") else message.removeprefix("Error creating: ")


def _short(pools: Sequence[str], events: Sequence[Document]) -> Iterable[str]:
    for each in events:
        about = _text(each, "involvedObject", "name")
        if each.get("reason") == "NoCompatibleInstanceTypes":
            yield about
        elif each.get("reason") == "InsufficientCapacityError":
            yield from (pool for pool in pools if about.rpartition("-")[0] == pool)


def _pod(found: Document, root: Workload, karpenter: str) -> SeenPod:
    spec, status = cast(Mapping[str, object], found["spec"]), cast(Mapping[str, object], found.get("status") or {})
    node = spec.get("nodeName")
    conditions = cast(Sequence[Mapping[str, str]], status.get("conditions") or ())
    why = [
        each.get("message", "") for each in conditions if each["type"] == "PodScheduled" and each["status"] == "False"
    ]
    return SeenPod(
        root,
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


def _root(found: Document, owners: Mapping[Workload, Document]) -> Workload:
    above = _controller(found)
    return _root_of(above, owners) if above else Workload("Pod", str(namespace_of(found)), name_of(found))


def _root_of(of: Workload, owners: Mapping[Workload, Document]) -> Workload:
    """A ReplicaSet's Deployment, a Job's CronJob; anything else stands for itself."""
    found = owners.get(of)
    above = _controller(found) if found else None
    return _root_of(above, owners) if above else of


def _controller(of: Document) -> Workload | None:
    references = cast(Sequence[Mapping[str, object]], _metadata(of).get("ownerReferences") or ())
    above = next((each for each in references if each.get("controller")), None)
    return Workload(str(above["kind"]), str(namespace_of(of)), str(above["name"])) if above else None


def _itself(found: Document) -> Workload:
    return Workload(kind_of(found), str(namespace_of(found)), name_of(found))


def _metadata(found: Document) -> Mapping[str, object]:
    return cast(Mapping[str, object], found["metadata"])


def _text(found: Document, *path: str) -> str:
    return str(functools.reduce(lambda at, key: cast(Mapping[str, object], at).get(key, ""), path, cast(object, found)))
