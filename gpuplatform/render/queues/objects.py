"""Flavors, topology, cohort and queues, from the queue plan of the settings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gpuplatform.plan.queues import Flavor, QueuePlan, Share, TeamQueue
from gpuplatform.plan.teams import queued
from gpuplatform.render.document import Document, kubernetes_object
from gpuplatform.standard import keys, names, resources
from gpuplatform.standard.priorities import PRIORITIES

VERSION = "kueue.x-k8s.io/v1beta2"


def queue_stages(plan: QueuePlan) -> tuple[tuple[Document, ...], ...]:
    """Every object that Kueue reads; each stage needs the one before it. Empty where no namespace is queued."""
    if not plan.teams:
        return ()
    standing = any(flavor.has_topology for flavor in plan.flavors)
    return (
        (_topology(),) if standing else (),
        (
            *(_flavor(flavor) for flavor in plan.flavors),
            kubernetes_object(VERSION, "ResourceFlavor", names.UNITS_FLAVOR, spec={}),
            *(
                kubernetes_object(VERSION, "WorkloadPriorityClass", p.name, value=p.value, description=p.meaning)
                for p in PRIORITIES
            ),
        ),
        (_cohort(plan), *(_cluster_queue(team) for team in plan.teams)),
        tuple(_local_queue(team, namespace.name) for team in plan.teams for namespace in queued(team.tenant)),
    )


def _topology() -> Document:
    levels = [{"nodeLabel": keys.ZONE}, {"nodeLabel": keys.HOSTNAME}]
    return kubernetes_object(VERSION, "Topology", names.TOPOLOGY, spec={"levels": levels})


def _flavor(flavor: Flavor) -> Document:
    """A flavor selects nodes by labels and taints. A job tolerates the taints itself; Kueue skips a flavor otherwise.

    The flavor has no tolerations, because Kueue would write them into the pod: then a pod that names no purpose would
    start on the nodes with the fewest taints, which may be the protected ones.
    """
    spec: Document = {
        "nodeLabels": flavor.planned.node_labels,
        "nodeTaints": [taint.as_document() for taint in flavor.planned.taints],
    }
    if flavor.has_topology:
        spec["topologyName"] = names.TOPOLOGY
    return kubernetes_object(VERSION, "ResourceFlavor", flavor.name, spec=spec)


def _cohort(plan: QueuePlan) -> Document:
    """The cohort: units that are guaranteed to no team and that every team may borrow."""
    spare = tuple(Share(flavor, units, 0, 0) for flavor, units in plan.spare)
    return kubernetes_object(VERSION, "Cohort", names.COHORT, spec={"resourceGroups": _groups(spare, limits=False)})


def _cluster_queue(team: TeamQueue) -> Document:
    spaces = [namespace.name for namespace in queued(team.tenant)]
    spec: Document = {
        "cohortName": names.COHORT,
        "queueingStrategy": "BestEffortFIFO",
        "namespaceSelector": {"matchExpressions": [{"key": keys.NAMESPACE_NAME, "operator": "In", "values": spaces}]},
        "resourceGroups": _groups(team.shares, limits=True),
        # The queue uses its own quota on the next flavor before it borrows or preempts on the first.
        "flavorFungibility": {"whenCanBorrow": "TryNextFlavor", "whenCanPreempt": "TryNextFlavor"},
        "preemption": {"reclaimWithinCohort": "Any", "withinClusterQueue": "LowerPriority"},
        "fairSharing": {"weight": str(team.tenant.queue.weight)},
    }
    return kubernetes_object(VERSION, "ClusterQueue", team.tenant.name, spec=spec)


def _local_queue(team: TeamQueue, namespace: str) -> Document:
    return kubernetes_object(
        VERSION, "LocalQueue", names.LOCAL_QUEUE, namespace, spec={"clusterQueue": team.tenant.name}
    )


def _groups(shares: Sequence[Share], *, limits: bool) -> list[Document]:
    """A resource group for each resource, and one for the sevenths of a card, which all of them use."""
    by_resource: dict[str, list[Share]] = {}
    for share in shares:
        by_resource.setdefault(share.flavor.resource, []).append(share)
    groups = [
        _group(
            resource,
            [(share.flavor.name, _quota(resource, [(share, 1)], limits=limits)) for share in shares_of_resource],
        )
        for resource, shares_of_resource in by_resource.items()
    ]
    in_common = [(share, resources.sevenths(share.flavor.resource)) for share in shares]
    budget = _quota(resources.SEVENTHS, in_common, limits=limits)
    return [*groups, _group(resources.SEVENTHS, [(names.UNITS_FLAVOR, budget)])] if groups else []


def _group(resource: str, flavors: Iterable[tuple[str, Document]]) -> Document:
    return {
        "coveredResources": [resource],
        "flavors": [{"name": name, "resources": [quota]} for name, quota in flavors],
    }


def _quota(resource: str, shares: Iterable[tuple[Share, int]], *, limits: bool) -> Document:
    """The quota of a resource: the sum of shares, each times the resource's count in one unit of the share."""
    parts = list(shares)
    nominal = sum(share.nominal * count for share, count in parts)
    quota: Document = {"name": resource, "nominalQuota": str(nominal)}
    if limits:
        quota["borrowingLimit"] = str(sum(share.borrow * count for share, count in parts))
        quota["lendingLimit"] = str(sum((share.nominal - share.keep) * count for share, count in parts))
    return quota
