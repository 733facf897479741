"""Values of the monitoring charts, where they differ from the defaults (M1)."""

from __future__ import annotations

from gpuplatform.render.document import Document
from gpuplatform.settings.settings import Settings
from gpuplatform.standard import keys, labels
from gpuplatform.standard.system_nodes import system_tolerations

SERVICE_ACCOUNT = "prometheus"
"""What Prometheus runs as: the identity that may write to a managed workspace."""


def prometheus_values(settings: Settings) -> Document:
    """kube-prometheus-stack."""
    chosen = settings.monitoring
    system = system_tolerations()
    own: Document = {
        # Every rule and monitor of the cluster counts, not only those that carry the release's name.
        "ruleSelectorNilUsesHelmValues": False,
        "serviceMonitorSelectorNilUsesHelmValues": False,
        "podMonitorSelectorNilUsesHelmValues": False,
        "retention": f"{chosen.retention_days}d",
        "tolerations": system,
        "storageSpec": {
            "volumeClaimTemplate": {
                "spec": {
                    "accessModes": ["ReadWriteOnce"],
                    "resources": {"requests": {"storage": f"{chosen.storage_gib}Gi"}},
                }
            }
        },
    }
    if chosen.managed_workspace_id is not None:
        own["remoteWrite"] = [
            {"url": _remote_write(settings.region, chosen.managed_workspace_id), "sigv4": {"region": settings.region}}
        ]
    # EKS runs these where nobody can scrape them.
    absent = ("kubeControllerManager", "kubeScheduler", "kubeEtcd", "kubeProxy")
    return {
        "prometheus": {"serviceAccount": {"name": SERVICE_ACCOUNT}, "prometheusSpec": own},
        "prometheusOperator": {"tolerations": system},
        "alertmanager": {"alertmanagerSpec": {"tolerations": system}},
        "grafana": {"enabled": chosen.managed_workspace_id is None, "tolerations": system},
        "kube-state-metrics": {"tolerations": system, "metricLabelsAllowlist": [f"nodes=[{','.join(_node_labels())}]"]},
        **{each: {"enabled": False} for each in absent},
    }


def definition_values() -> Document:
    """prometheus-operator-crds, whose definitions outlast its release.

    The chart's templates have no such annotation of their own (31.0.1, charts/crds/templates), so uninstalling it would
    delete the definitions, and with them every monitor and rule of every team. Helm would also do so by itself: a first
    install that fails is uninstalled (helm v3.20.2, pkg/action/install.go, failRelease), and that first install takes
    over definitions that stand already.
    """
    return {"crds": {"annotations": {keys.HELM_RESOURCE_POLICY: "keep"}}}


def keda_values() -> Document:
    """KEDA, which hands Prometheus' series to autoscalers (W4)."""
    return {"tolerations": system_tolerations()}


def workspace_arn(settings: Settings) -> str | None:
    """The managed workspace, None where there is none."""
    workspace = settings.monitoring.managed_workspace_id
    if workspace is None:
        return None
    return f"arn:aws:aps:{settings.region}:{settings.account_id}:workspace/{workspace}"


def _remote_write(region: str, workspace: str) -> str:
    return f"https://aps-workspaces.{region}.amazonaws.com/workspaces/{workspace}/api/v1/remote_write"


def _node_labels() -> list[str]:
    """Labels of nodes that rules and boards read."""
    standard = [each.key for each in labels.STANDARD]
    pool = (keys.NODEPOOL, keys.NODE_GROUP)
    return [*standard, *pool, keys.CAPACITY_TYPE, keys.INSTANCE_TYPE, keys.ZONE, keys.MIG_CONFIG_STATE]
