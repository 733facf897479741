"""A cluster at one moment, by workload: where its pods are, what they request, and why some wait."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import cast

from gpuplatform.render.document import Document, name_of
from gpuplatform.render.queues.objects import VERSION
from gpuplatform.standard.quantities import quantity
from sandbox.cluster import Cluster, Node
from sandbox.simulate.missing_pods import MissingPods, queue_waits, refusals, removals
from sandbox.simulate.owners import CONTROLLERS, Workload, metadata, root, text, workload_of

_QUEUED = (VERSION, "Workload")
_ENDED = ("Succeeded", "Failed")


@dataclass(frozen=True, slots=True)
class PodState:
    """One pod of a workload."""

    workload: Workload
    name: str
    node: str | None
    """None while the pod waits; a node that a person wrote in ``spec.nodeName`` may not exist."""
    requests: Mapping[str, Fraction]
    """The sum over its containers: CPUs, bytes of memory, cards, slices, shares."""
    scheduler: str
    """The scheduler's message about a pod that waits; empty otherwise."""
    karpenter: str
    """Karpenter's message about a pod that waits; empty where there is none."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The workloads and nodes of a cluster."""

    pods: tuple[PodState, ...]
    missing_pods: tuple[MissingPods, ...]
    nodes: tuple[Node, ...]
    exhausted_node_pools: frozenset[str]
    """NodePools for which EC2 had no capacity when Karpenter asked."""

    @property
    def usd_per_hour(self) -> float:
        """The bill of all nodes, used or not."""
        return sum(node.usd_per_hour for node in self.nodes)

    @property
    def waiting(self) -> tuple[PodState, ...]:
        """Pods that are not on a node of the cluster."""
        node_names = {node.name for node in self.nodes}
        return tuple(pod for pod in self.pods if pod.node not in node_names)

    @property
    def all_run(self) -> bool:
        """Whether every pod that was asked for has a node."""
        return not self.waiting and not self.missing_pods


def take_snapshot(of: Cluster, workloads: Iterable[Document]) -> Snapshot:
    """The cluster as it is now; pods that no workload made are left out. Raises SandboxError."""
    written = tuple(workloads)
    scenario = {workload_of(document) for document in written}
    owners = {workload_of(document): document for kind in CONTROLLERS for document in of.items(*kind)}
    pods, events = of.items("v1", "Pod"), of.items("v1", "Event")
    karpenter_messages = {
        (text(event, "involvedObject", "namespace"), text(event, "involvedObject", "name")): str(event.get("message"))
        for event in events
        if event.get("reason") == "FailedScheduling" and event.get("reportingComponent") == "karpenter"
    }
    nodes = of.nodes()
    there = {node.name for node in nodes}
    return Snapshot(
        pods=tuple(
            sorted(
                (
                    _pod(pod, above, karpenter_messages.get((above.namespace, name_of(pod)), ""))
                    for pod in pods
                    if (above := root(pod, owners)) in scenario
                    and "deletionTimestamp" not in metadata(pod)
                    # A pod that has ended still exists after its node is gone; it is left out.
                    and not (text(pod, "status", "phase") in _ENDED and text(pod, "spec", "nodeName") not in there)
                ),
                key=lambda pod: (pod.workload, pod.name),
            )
        ),
        missing_pods=(*refusals(events, owners, pods, scenario), *_queued(of, scenario), *removals(written, pods)),
        nodes=nodes,
        exhausted_node_pools=frozenset(
            _exhausted_node_pools([name_of(node_pool) for node_pool in of.items("karpenter.sh/v1", "NodePool")], events)
        ),
    )


def undecided_jobs(of: Cluster, workloads: Iterable[Document]) -> tuple[Workload, ...]:
    """Suspended Jobs on which their queue has not decided yet: it has neither held them back nor admitted them."""
    documents = {workload_of(workload): workload for workload in workloads}
    waiting_workloads = {missing.workload for missing in _queued(of, documents)}
    jobs = of.items("batch/v1", "Job")
    suspended_jobs = [workload_of(job) for job in jobs if cast(Mapping[str, object], job["spec"]).get("suspend")]
    return tuple(
        workload
        for workload in suspended_jobs
        if workload in documents
        and workload not in waiting_workloads
        and not cast(Mapping[str, object], documents[workload]["spec"]).get("suspend")
    )  # fmt: skip


def _queued(of: Cluster, workloads: Iterable[Workload]) -> tuple[MissingPods, ...]:
    """The workloads that queues hold back; an empty result where Kueue is not installed."""
    return queue_waits(of.items(*_QUEUED), workloads) if of.plane.api.serves(*_QUEUED) else ()


def _exhausted_node_pools(pools: Sequence[str], events: Sequence[Document]) -> Iterable[str]:
    for event in events:
        about = text(event, "involvedObject", "name")
        if event.get("reason") == "NoCompatibleInstanceTypes":
            yield about
        elif event.get("reason") == "InsufficientCapacityError":
            yield from (pool for pool in pools if about.rpartition("-")[0] == pool)


def _pod(pod: Document, workload: Workload, karpenter: str) -> PodState:
    spec, status = cast(Mapping[str, object], pod["spec"]), cast(Mapping[str, object], pod.get("status") or {})
    node = spec.get("nodeName")
    conditions = cast(Sequence[Mapping[str, str]], status.get("conditions") or ())
    why = [
        condition.get("message", "")
        for condition in conditions
        if condition["type"] == "PodScheduled" and condition["status"] == "False"
    ]
    return PodState(
        workload,
        name_of(pod),
        None if node is None else str(node),
        _requests(spec),
        why[0] if why and node is None else "",
        karpenter if node is None else "",
    )


def _requests(spec: Mapping[str, object]) -> dict[str, Fraction]:
    """The sum over containers; init containers are left out."""
    total: dict[str, Fraction] = {}
    for container in cast(Sequence[Mapping[str, object]], spec["containers"]):
        resources = cast(Mapping[str, Mapping[str, str]], container.get("resources") or {})
        for name, amount in (resources.get("requests") or {}).items():
            total[name] = total.get(name, Fraction(0)) + (quantity(amount) or 0)
    return total
