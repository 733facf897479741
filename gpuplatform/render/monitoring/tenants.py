"""Alerts for each team: a quota that is used up, and training that was disturbed (M5, Q9)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gpuplatform.render.monitoring.alert import Alert, Severity
from gpuplatform.render.monitoring.parts import grown
from gpuplatform.settings.plan import PlannedNodePool
from gpuplatform.settings.pools import Provisioner
from gpuplatform.settings.tenants import Tenant
from gpuplatform.standard import resources
from gpuplatform.standard.labels import Purpose

_DISTURBS_NOBODY = "empty|insufficient_capacity|nodeclass_not_ready|launch_timeout|registration_timeout"
"""Why Karpenter gives up a node on which nothing ran: v1.14.1, pkg/controllers/nodeclaim/lifecycle."""


def tenant_alerts(tenants: Iterable[Tenant]) -> Iterator[Alert]:
    """One for each namespace and resource that it may have any of."""
    for tenant in tenants:
        for namespace in tenant.namespaces:
            for resource, amount in namespace.quota.items():
                if amount:
                    yield _exhausted(tenant, namespace.name, resource)


def training_alerts(planned: Iterable[PlannedNodePool]) -> Iterator[Alert]:
    """Nodes of training that were taken away before they were empty."""
    protected = [
        each.name
        for each in planned
        if each.pool.purpose is Purpose.TRAIN and each.pool.provisioner is Provisioner.KARPENTER
    ]
    if protected:
        of = f'{{nodepool=~"{"|".join(protected)}",reason!~"{_DISTURBS_NOBODY}"}}'
        yield Alert(
            "TrainingNodeDisrupted",
            grown(f"karpenter_nodeclaims_disrupted_total{of}", "nodepool, reason", "10m") + " > 0",
            0,
            Severity.TICKET,
            "a node of {{ $labels.nodepool }} was replaced: {{ $labels.reason }}",
            "Was it inside the pool's window? `kubectl get events -A --field-selector reason=Evicted` names the"
            " pods; work"
            " that traps the signal has a checkpoint.",
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
        f"sum({used}) / sum({hard}) >= 1",
        30,
        Severity.NOTE,
        f"{namespace} has all {resource} that it may have in use",
        "Further pods are refused with the number. Give some back, or ask for more: quota of the namespace in"
        " the settings.",
        owner=tenant.team,
        labels={"namespace": namespace, "resource": resource},
        look=(
            "kubectl -n NAMESPACE describe resourcequota",
            "kubectl -n NAMESPACE get pods",
        ),
    )
