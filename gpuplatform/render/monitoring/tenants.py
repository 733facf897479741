"""Alerts for each team's queue: work that was evicted, and work that waits for long."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gpuplatform.plan.node_pools import PlannedNodePool
from gpuplatform.plan.queues import TeamQueue
from gpuplatform.render.monitoring.alert import Alert, AlertSeverity
from gpuplatform.render.monitoring.names import grown
from gpuplatform.settings.pools import Provisioner
from gpuplatform.settings.tenants import Tenant
from gpuplatform.standard import resources
from gpuplatform.standard.labels import Purpose

_WINDOW = "10m"
_WAITS_MINUTES = 240
_EVENTS = "kubectl get events -A --field-selector reason=Preempted"


_PREEMPTING = grown("kueue_preempted_workloads_total", "preempting_cluster_queue", _WINDOW) + " > 0"


def queue_alerts(teams: Iterable[TeamQueue]) -> Iterator[Alert]:
    """Two alerts for each team that has a queue."""
    for team in teams:
        queue, owner = team.tenant.name, team.tenant.team
        yield _evicted(queue, owner)
        yield _waits(queue, owner)


def _evicted(queue: str, owner: str) -> Alert:
    evicted = grown(f'kueue_evicted_workloads_total{{cluster_queue="{queue}"}}', "cluster_queue, reason", _WINDOW)
    return Alert(
        "QueueWorkEvicted",
        expr=f"{evicted} > 0",
        for_minutes=0,
        severity=AlertSeverity.NOTE,
        summary=f"work of the queue {queue} was evicted: {{{{ $labels.reason }}}}",
        description=(
            "Preempted: other teams took back the quota that they had lent, or their work has a higher priority."
            " The work is queued again and continues from its checkpoint."
            " Queues that preempted in the same ten minutes:"
            f" {{{{ range query `{_PREEMPTING}` }}}}{{{{ .Labels.preempting_cluster_queue }}}} {{{{ end }}}}"
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
    return Alert(
        "QueueWorkWaits",
        expr=f'sum by (cluster_queue) (kueue_pending_workloads{{cluster_queue="{queue}"}}) > 0',
        for_minutes=_WAITS_MINUTES,
        severity=AlertSeverity.NOTE,
        summary=f"work has waited in the queue {queue} for {_WAITS_MINUTES // 60} hours",
        description=(
            "Its Workload names the reason: the work asks for more cards than the team may ever have,"
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
        of = f'{{nodepool=~"{"|".join(protected)}",reason!~"{_DISTURBS_NOBODY}"}}'
        yield Alert(
            "TrainingNodeDisrupted",
            expr=grown(f"karpenter_nodeclaims_disrupted_total{of}", "nodepool, reason", "10m") + " > 0",
            for_minutes=0,
            severity=AlertSeverity.TICKET,
            summary="a node of {{ $labels.nodepool }} was replaced: {{ $labels.reason }}",
            description=(
                "Check whether this happened inside the pool's window."
                " `kubectl get events -A --field-selector reason=Evicted` names the pods; work that traps SIGTERM has a"
                " checkpoint."
            ),
            look=(
                "kubectl get nodeclaims -o wide",
                "gpuplatform calendar --stack NAME",
                "kubectl get events -A --field-selector reason=DisruptionBlocked",
            ),
        )


def _exhausted(tenant: Tenant, namespace: str, resource: str) -> Alert:
    of = f'namespace="{namespace}",resource="{resources.quota_key(resource)}"'
    used, hard = (f'kube_resourcequota{{{of},type="{kind}"}}' for kind in ("used", "hard"))
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
