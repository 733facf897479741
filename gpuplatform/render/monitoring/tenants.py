"""Alerts for tenants: quotas that are used up, training nodes that were disrupted, and work in each team's queue."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gpuplatform.plan.node_pools import PlannedNodePool
from gpuplatform.plan.queues import TeamQueue
from gpuplatform.render.monitoring.alert import Alert, AlertSeverity
from gpuplatform.render.monitoring.names import grown, selected
from gpuplatform.settings.pools import Provisioner
from gpuplatform.settings.tenants import Tenant
from gpuplatform.standard import resources
from gpuplatform.standard.labels import Purpose

_WINDOW = "10m"
_WAITS_MINUTES = 240
_EVENTS = "kubectl get events -A --field-selector reason=Preempted"
_REASON = "{{ $labels.reason }}"

_PREEMPTING = grown("kueue_preempted_workloads_total", by="preempting_cluster_queue", window=_WINDOW) + " > 0"
_PREEMPTING_QUEUES = f"{{{{ range query `{_PREEMPTING}` }}}}{{{{ .Labels.preempting_cluster_queue }}}} {{{{ end }}}}"
"""The names of these queues, each followed by a space, as Prometheus writes them into an annotation."""
_DISTURBS_NOBODY = "empty|insufficient_capacity|nodeclass_not_ready|launch_timeout|registration_timeout"
"""Reasons for which Karpenter gives up a node on which nothing ran: v1.14.1, pkg/controllers/nodeclaim/lifecycle."""


def tenant_alerts(tenants: Iterable[Tenant]) -> Iterator[Alert]:
    """One alert for each resource that a namespace has a quota of."""
    for tenant in tenants:
        for namespace in tenant.namespaces:
            for resource, amount in namespace.quota.items():
                if amount:
                    yield _exhausted(tenant, namespace.name, resource)


def training_alerts(planned: Iterable[PlannedNodePool]) -> Iterator[Alert]:
    """An alert for training nodes that were disrupted before they were empty."""
    protected = [
        node_pool.name
        for node_pool in planned
        if node_pool.pool.purpose is Purpose.TRAIN and node_pool.pool.provisioner is Provisioner.KARPENTER
    ]
    if protected:
        named = "|".join(protected)
        disrupted = selected(
            "karpenter_nodeclaims_disrupted_total", f'nodepool=~"{named}"', f'reason!~"{_DISTURBS_NOBODY}"'
        )
        yield Alert(
            "TrainingNodeDisrupted",
            expr=grown(disrupted, by="nodepool, reason", window="10m") + " > 0",
            for_minutes=0,
            severity=AlertSeverity.TICKET,
            summary="a node of {{ $labels.nodepool }} was replaced: {{ $labels.reason }}",
            description=(
                "Check whether this happened inside the pool's window."
                " `kubectl get events -A --field-selector reason=Evicted` names the pods;"
                " work that traps SIGTERM has a checkpoint."
            ),
            look=(
                "kubectl get nodeclaims -o wide",
                "gpuplatform calendar --stack NAME",
                "kubectl get events -A --field-selector reason=DisruptionBlocked",
            ),
        )


def queue_alerts(teams: Iterable[TeamQueue]) -> Iterator[Alert]:
    """Two alerts for each team that has a queue."""
    for team in teams:
        queue, owner = team.tenant.name, team.tenant.team
        yield _evicted(queue, owner)
        yield _waits(queue, owner)


def _exhausted(tenant: Tenant, namespace: str, resource: str) -> Alert:
    of_quota = (f'namespace="{namespace}"', f'resource="{resources.quota_key(resource)}"')
    used, hard = (selected("kube_resourcequota", *of_quota, f'type="{kind}"') for kind in ("used", "hard"))
    return Alert(
        "QuotaExhausted",
        expr=f"sum({used}) / sum({hard}) >= 1",
        for_minutes=30,
        severity=AlertSeverity.NOTE,
        summary=f"{namespace} uses all of its quota of {resource}",
        description=(
            "Kubernetes refuses further pods. Delete pods, or ask for a higher quota of the namespace in the settings."
        ),
        owner=tenant.team,
        labels={"namespace": namespace, "resource": resource},
        look=(
            "kubectl -n NAMESPACE describe resourcequota",
            "kubectl -n NAMESPACE get pods",
        ),
    )


def _evicted(queue: str, owner: str) -> Alert:
    of_queue = selected("kueue_evicted_workloads_total", f'cluster_queue="{queue}"')
    evicted = grown(of_queue, by="cluster_queue, reason", window=_WINDOW)
    return Alert(
        "QueueWorkEvicted",
        expr=f"{evicted} > 0",
        for_minutes=0,
        severity=AlertSeverity.NOTE,
        summary=f"work of the queue {queue} was evicted: {_REASON}",
        description=(
            "Preempted: other teams took back the quota that they had lent, or their work has a higher priority."
            " The work is queued again and continues from its checkpoint."
            f" Queues that preempted in the same ten minutes: {_PREEMPTING_QUEUES}"
            f"(no series pairs them with the evicted work; the events do: {_EVENTS})."
            " PodsReadyTimeout: the nodes for the work did not start in time."
        ),
        owner=owner,
        labels={"queue": queue},
        asks=(_PREEMPTING,),
        look=(
            _EVENTS,
            "kubectl get events -A --field-selector reason=EvictedDueToPodsReadyTimeout",
            "kubectl -n NAMESPACE get workloads",
        ),
    )


def _waits(queue: str, owner: str) -> Alert:
    pending = selected("kueue_pending_workloads", f'cluster_queue="{queue}"')
    return Alert(
        "QueueWorkWaits",
        expr=f"sum by (cluster_queue) ({pending}) > 0",
        for_minutes=_WAITS_MINUTES,
        severity=AlertSeverity.NOTE,
        summary=f"work has waited in the queue {queue} for {_WAITS_MINUTES // 60} hours",
        description=(
            "Its Workload names the reason:"
            " the work asks for more cards than the team may ever have,"
            " other teams use the quota, or the flavor takes only work that requests a topology."
        ),
        owner=owner,
        labels={"queue": queue},
        look=(
            "kubectl get workloads -A",
            "kubectl -n NAMESPACE describe workload NAME",
            "kubectl get clusterqueue QUEUE -o yaml",
        ),
    )
