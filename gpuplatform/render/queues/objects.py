"""Flavors, topology, cohort and queues, from the division that the settings make (Q6-Q8, B14)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gpuplatform.render.document import Document, a
from gpuplatform.settings.flavors import Flavor, QueuePlan, Share, TeamQueue
from gpuplatform.settings.teams import queued
from gpuplatform.standard import keys, names, resources
from gpuplatform.standard.priorities import PRIORITIES

VERSION = "kueue.x-k8s.io/v1beta2"


def queue_stages(plan: QueuePlan) -> tuple[tuple[Document, ...], ...]:
    """Every object that Kueue reads, each stage in need of the one before; none where no namespace is queued."""
    if not plan.teams:
        return ()
    standing = any(each.has_topology for each in plan.flavors)
    return (
        (_topology(),) if standing else (),
        (
            *(_flavor(each) for each in plan.flavors),
            a(VERSION, "ResourceFlavor", names.UNITS_FLAVOR, spec={}),
            *(a(VERSION, "WorkloadPriorityClass", p.name, value=p.value, description=p.meaning) for p in PRIORITIES),
        ),
        (_cohort(plan), *(_cluster_queue(each) for each in plan.teams)),
        tuple(_local_queue(team, namespace.name) for team in plan.teams for namespace in queued(team.tenant)),
    )


def _topology() -> Document:
    levels = [{"nodeLabel": keys.ZONE}, {"nodeLabel": keys.HOSTNAME}]
    return a(VERSION, "Topology", names.TOPOLOGY, spec={"levels": levels})


def _flavor(flavor: Flavor) -> Document:
    """Nodes by labels and taints. A job answers the taints itself: Kueue passes over a flavor that it does not answer.

    No toleration stands here, since Kueue would write it into the pod: one that names no purpose would start, and on
    whichever nodes have the fewest taints, which may be the protected ones.
    """
    spec: Document = {
        "nodeLabels": flavor.planned.node_labels,
        "nodeTaints": [each.as_document() for each in flavor.planned.taints],
    }
    if flavor.has_topology:
        spec["topologyName"] = names.TOPOLOGY
    return a(VERSION, "ResourceFlavor", flavor.name, spec=spec)


def _cohort(plan: QueuePlan) -> Document:
    """What is guaranteed to nobody, for whoever asks."""
    spare = tuple(Share(flavor, units, 0, 0) for flavor, units in plan.spare)
    return a(VERSION, "Cohort", names.COHORT, spec={"resourceGroups": _groups(spare, limits=False)})


def _cluster_queue(team: TeamQueue) -> Document:
    spaces = [each.name for each in queued(team.tenant)]
    spec: Document = {
        "cohortName": names.COHORT,
        "queueingStrategy": "BestEffortFIFO",
        "namespaceSelector": {"matchExpressions": [{"key": keys.NAMESPACE_NAME, "operator": "In", "values": spaces}]},
        "resourceGroups": _groups(team.shares, limits=True),
        # Its own quota on the next flavor comes before borrowing or preempting on the first.
        "flavorFungibility": {"whenCanBorrow": "TryNextFlavor", "whenCanPreempt": "TryNextFlavor"},
        "preemption": {"reclaimWithinCohort": "Any", "withinClusterQueue": "LowerPriority"},
        "fairSharing": {"weight": str(team.tenant.queue.weight)},
    }
    return a(VERSION, "ClusterQueue", team.tenant.name, spec=spec)


def _local_queue(team: TeamQueue, namespace: str) -> Document:
    return a(VERSION, "LocalQueue", names.LOCAL_QUEUE, namespace, spec={"clusterQueue": team.tenant.name})


def _groups(shares: Sequence[Share], *, limits: bool) -> list[Document]:
    """A group for each resource, and one for what they have in common."""
    by_resource: dict[str, list[Share]] = {}
    for each in shares:
        by_resource.setdefault(each.flavor.resource, []).append(each)
    groups = [
        _group(resource, [(each.flavor.name, _quota(resource, [(each, 1)], limits=limits)) for each in own])
        for resource, own in by_resource.items()
    ]
    in_common = [(each, resources.sevenths(each.flavor.resource)) for each in shares]
    budget = _quota(resources.SEVENTHS, in_common, limits=limits)
    return [*groups, _group(resources.SEVENTHS, [(names.UNITS_FLAVOR, budget)])] if groups else []


def _group(resource: str, flavors: Iterable[tuple[str, Document]]) -> Document:
    return {
        "coveredResources": [resource],
        "flavors": [{"name": name, "resources": [quota]} for name, quota in flavors],
    }


def _quota(resource: str, shares: Iterable[tuple[Share, int]], *, limits: bool) -> Document:
    """The sum of shares, each times what one unit of it counts."""
    known = list(shares)
    nominal = sum(each.nominal * count for each, count in known)
    quota: Document = {"name": resource, "nominalQuota": str(nominal)}
    if limits:
        quota["borrowingLimit"] = str(sum(each.borrow * count for each, count in known))
        quota["lendingLimit"] = str(sum((each.nominal - each.keep) * count for each, count in known))
    return quota
