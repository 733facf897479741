"""Values of the monitoring charts, where they differ from the defaults."""

from __future__ import annotations

from gpuplatform.render.addons import PRIORITY, REPLICAS, placement, requests, spread
from gpuplatform.render.document import Document
from gpuplatform.settings.settings import Settings
from gpuplatform.standard import keys, labels, names
from gpuplatform.standard.sheets.sheet import sheets
from gpuplatform.standard.taints import TaintEffect

DEFINITIONS_CHART = "prometheus-operator-crds"
"""The chart that defines the kinds of the Prometheus operator; every other chart and document is made after it."""
SERVICE_ACCOUNT = "prometheus"
"""The service account of Prometheus: the identity that may write to a managed workspace."""
_EVERY_TAINT = (
    {"operator": "Exists", "effect": TaintEffect.NO_SCHEDULE.value},
    {"operator": "Exists", "effect": TaintEffect.NO_EXECUTE.value},
)
"""The chart's default tolerates only the first, so nodes with a NoExecute taint would have no exporter."""


def monitoring_values(settings: Settings) -> dict[str, Document]:
    """Values of every chart of the monitoring, by the chart's name."""
    return {
        DEFINITIONS_CHART: definition_values(),
        "kube-prometheus-stack": prometheus_values(settings),
        "keda": keda_values(),
    }


def prometheus_values(settings: Settings) -> Document:
    """Values of kube-prometheus-stack."""
    # EKS runs these on its own machines, where Prometheus cannot scrape them.
    absent = ("kubeControllerManager", "kubeScheduler", "kubeEtcd", "kubeProxy")
    return {
        "prometheus": {"serviceAccount": {"name": SERVICE_ACCOUNT}, "prometheusSpec": _prometheus(settings)},
        "prometheusOperator": {
            "resources": requests("50m", "128Mi"),
            "prometheusConfigReloader": {"resources": requests("10m", "50Mi")},
            # The Jobs that make the webhooks' certificate: Helm waits for them, and rolls back where they fail.
            "admissionWebhooks": {"patch": {"resources": requests("10m", "32Mi"), **placement()}},
            **placement(),
        },
        "alertmanager": {"alertmanagerSpec": {"resources": requests("10m", "64Mi"), **placement()}},
        "grafana": {
            "enabled": settings.monitoring.managed_workspace_id is None,
            "resources": requests("50m", "192Mi"),
            "sidecar": {"resources": requests("10m", "96Mi")},
            **placement(),
        },
        "kube-state-metrics": {
            "metricLabelsAllowlist": [f"nodes=[{','.join(_node_labels())}]"],
            "resources": requests("20m", "128Mi"),
            **placement(),
        },
        "prometheus-node-exporter": {"resources": requests("20m", "32Mi"), "tolerations": list(_EVERY_TAINT)},
        **{component: {"enabled": False} for component in absent},
    }


def definition_values() -> Document:
    """Values of prometheus-operator-crds, whose definitions stay when its release is removed.

    The chart's templates have no such annotation (31.0.1, charts/crds/templates), so uninstalling it would delete the
    definitions, and with them every monitor and rule of every team. Helm would also do so by itself: it uninstalls a
    first install that fails (helm v3.20.2, pkg/action/install.go, failRelease), and that first install takes over
    definitions that exist already.
    """
    return {"crds": {"annotations": {keys.HELM_RESOURCE_POLICY: "keep"}}}


def keda_values() -> Document:
    """Values of KEDA, which gives Prometheus' series to autoscalers.

    The API server asks KEDA's metrics server for external metrics, and deletes no namespace while that does not answer.
    Of two operators one leads; two metrics servers are allowed (kedacore/charts keda 2.20.2, values.yaml).
    """
    parts = {
        "operator": "keda-operator",
        "metricsServer": "keda-operator-metrics-apiserver",
        "webhooks": "keda-admission-webhooks",
    }
    pod_labels = {workload.name: workload.labels for workload in sheets()["keda"].workloads}
    budget = {"minAvailable": 1}
    return {
        **{part: {"replicaCount": REPLICAS} for part in parts},
        "podDisruptionBudget": {"operator": budget, "metricServer": budget, "webhooks": budget},
        "topologySpreadConstraints": {part: spread(pod_labels[name]) for part, name in parts.items()},
        "priorityClassName": PRIORITY,
        "resources": {
            "operator": requests("50m", "100Mi"),
            "metricServer": requests("50m", "100Mi"),
            "webhooks": requests("10m", "50Mi"),
        },
        **placement(),
    }


def workspace_arn(settings: Settings) -> str | None:
    """The ARN of the managed workspace; None where the settings name no workspace."""
    workspace = settings.monitoring.managed_workspace_id
    if workspace is None:
        return None
    return f"arn:aws:aps:{settings.region}:{settings.account_id}:workspace/{workspace}"


def _prometheus(settings: Settings) -> Document:
    """The spec from which the Prometheus operator makes Prometheus."""
    chosen = settings.monitoring
    spec: Document = {
        # Every rule and monitor of the cluster counts, not only those that carry the release's name.
        "ruleSelectorNilUsesHelmValues": False,
        "serviceMonitorSelectorNilUsesHelmValues": False,
        "podMonitorSelectorNilUsesHelmValues": False,
        "retention": f"{chosen.retention_days}d",
        "resources": requests("200m", "1Gi"),
        **placement(),
        "storageSpec": {
            "volumeClaimTemplate": {
                "spec": {
                    # By name, because a claim without a class waits for ever where the cluster has no default class.
                    "storageClassName": names.STORAGE_CLASS,
                    "accessModes": ["ReadWriteOnce"],
                    "resources": {"requests": {"storage": f"{chosen.storage_gib}Gi"}},
                }
            }
        },
    }
    if chosen.managed_workspace_id is not None:
        url = _remote_write(settings.region, chosen.managed_workspace_id)
        spec["remoteWrite"] = [{"url": url, "sigv4": {"region": settings.region}}]
    return spec


def _remote_write(region: str, workspace: str) -> str:
    return f"https://aps-workspaces.{region}.amazonaws.com/workspaces/{workspace}/api/v1/remote_write"


def _node_labels() -> list[str]:
    """Labels of nodes that rules and boards read."""
    standard = [label.key for label in labels.STANDARD]
    pool = (keys.NODEPOOL, keys.NODE_GROUP)
    return [*standard, *pool, keys.CAPACITY_TYPE, keys.INSTANCE_TYPE, keys.ZONE, keys.MIG_CONFIG_STATE]
