"""The platform's own ServiceMonitors, the card exporter's counters, and how many series they make at most.

Prometheus needs memory for each series. Targets of the charts, such as kube-state-metrics and the kubelet, are not
counted: their charts choose the series. Kueue's series are by queue, not by node or NodePool.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from gpuplatform.catalog.dcgm_counters import counters
from gpuplatform.plan.node_pools import PlannedNodePool, mig_profile
from gpuplatform.render.document import Document, kubernetes_object
from gpuplatform.render.monitoring.names import NODE_LABELS, sanitized
from gpuplatform.standard import keys
from gpuplatform.standard.versions import CHARTS

NAMESPACE = CHARTS["kube-prometheus-stack"].namespace
COUNTERS_NAME = "dcgm-counters"
"""The operator's value ``dcgmExporter.config.name``."""
_COUNTERS_KEY = "dcgm-metrics.csv"
_API = "monitoring.coreos.com/v1"
_NODE_META = "__meta_kubernetes_node_label_"
_EXPORTER_INTERVAL = "15s"
_INTERVAL = "30s"
_TOKEN = "/var/run/secrets/kubernetes.io/serviceaccount/token"
KARPENTER_SERIES = ("karpenter", "operator")
"""Prefixes of Karpenter's series: its own metrics, and the conditions of its objects."""
KUEUE_SERIES = ("kueue",)

# Labels of each series and the number of their values: Karpenter v1.14.1, pkg/metrics, pkg/controllers and, for
# conditions, pkg/apis/v1/nodeclaim_status.go. A NodePool has one market, so that label has one value for it.
_RESOURCES = 14  # of a node: its own, those of its network, the cards, and what an overlay adds
_CONDITIONS = 11
_OF_NODEPOOL: Mapping[str, int] = {
    "karpenter_nodepools_usage": _RESOURCES,
    "karpenter_nodepools_limit": 1,
    "karpenter_nodepools_allowed_disruptions": 3,  # reasons of a budget
    "karpenter_nodeclaims_disrupted_total": 10,  # those reasons, and others for which a NodeClaim is removed
}
_OF_NODE: Mapping[str, int] = {"operator_nodeclaim_status_condition_current_status_seconds": _CONDITIONS}
_OF_CLUSTER = frozenset(
    {
        "karpenter_cloudprovider_instance_launch_failures_total",
        "karpenter_interruption_received_messages_total",
    }
)
"""By reason, zone and market, or by type of message: their number does not grow with pools and nodes."""


@dataclass(frozen=True, slots=True)
class Kept:
    """The most series that one NodePool adds."""

    nodepool: str
    per_nodepool: int
    """Series of the NodePool itself, whether it has nodes or not."""
    per_node: int
    """Series of one node of its largest type. XIDs come on top: one series for each code that a card reported within
    five minutes."""


def counters_config_map(namespace: str) -> Document:
    """The exporter's counter file; it must be in the operator's namespace."""
    lines = [f"{counter.field}, {counter.type}, {counter.help.replace(',', ';')}." for counter in counters()]
    return kubernetes_object("v1", "ConfigMap", COUNTERS_NAME, namespace, data={_COUNTERS_KEY: "\n".join(lines) + "\n"})


def service_monitors(karpenter: Collection[str], kueue: Collection[str]) -> list[Document]:
    """Monitors of the card exporter, Karpenter and Kueue; of the latter two, only the named series are kept.

    There is no monitor of Kueue where no series of it is named. The GPU Operator makes a monitor for itself (v26.7.0,
    assets/state-operator-metrics).
    """
    monitors = [
        _monitor(
            "dcgm-exporter",
            CHARTS["gpu-operator"].namespace,
            {"app": "nvidia-dcgm-exporter"},
            {
                "port": "gpu-metrics",
                "interval": _EXPORTER_INTERVAL,
                # The exporter labels a series with the pod that has the card: the target's labels must not replace it.
                "honorLabels": True,
                "relabelings": [
                    {"sourceLabels": ["__meta_kubernetes_pod_node_name"], "targetLabel": "node"},
                    *(
                        # A node without the label sets nothing, so that the other key of the same name stays.
                        {"sourceLabels": [_NODE_META + sanitized(key)], "regex": "(.+)", "targetLabel": name}
                        for key, name in NODE_LABELS.items()
                    ),
                ],
            },
            attachMetadata={"node": True},
        ),
        _monitor(
            "karpenter",
            CHARTS["karpenter"].namespace,
            {keys.APP_NAME: "karpenter"},
            {"port": "http-metrics", "interval": _INTERVAL, "metricRelabelings": [_keep(karpenter)]},
        ),
    ]
    return [*monitors, _kueue_monitor(kueue)] if kueue else monitors


def series_of(expr: str, beginnings: Collection[str]) -> frozenset[str]:
    """The series in an expression whose names begin with one of these prefixes."""
    without_strings = re.sub(r'"[^"]*"', "", expr)
    return frozenset(re.findall(rf"\b(?:{'|'.join(beginnings)})_\w+", without_strings))


def kept(planned: PlannedNodePool, read: Collection[str]) -> Kept:
    """The series that one NodePool adds, of the card exporter and of Karpenter; of Karpenter's, only ``read`` are kept.

    The exporter measures each slice; shares of a card have no series of their own. KeyError for a series of Karpenter
    whose number is not in this file.
    """
    measured = planned.units_per_card if mig_profile(planned.pool) else 1
    cards = max(instance_type.cards for instance_type in planned.types)
    counted = [series for series in read if series not in _OF_CLUSTER]
    of_nodes = [series for series in counted if series in _OF_NODE]
    return Kept(
        planned.name,
        sum(_OF_NODEPOOL[series] for series in counted if series not in of_nodes),
        len(counters()) * cards * measured + sum(_OF_NODE[series] for series in of_nodes),
    )


def _kueue_monitor(read: Collection[str]) -> Document:
    """Kueue answers clients that the API server authenticates, over TLS with a self-signed certificate."""
    endpoint: Document = {
        "port": "https",
        "scheme": "https",
        "interval": _INTERVAL,
        "bearerTokenFile": _TOKEN,
        "tlsConfig": {"insecureSkipVerify": True},
        "metricRelabelings": [_keep(read)],
    }
    match = {keys.APP_NAME: "kueue", keys.APP_COMPONENT: "metrics-service"}
    return _monitor("kueue", CHARTS["kueue"].namespace, match, endpoint)


def _keep(read: Collection[str]) -> Document:
    return {"sourceLabels": ["__name__"], "regex": "|".join(sorted(read)), "action": "keep"}


def _monitor(name: str, namespace: str, match: dict[str, str], endpoint: Document, **more: object) -> Document:
    spec: Document = {
        "namespaceSelector": {"matchNames": [namespace]},
        "selector": {"matchLabels": match},
        "endpoints": [endpoint],
        **more,
    }
    return kubernetes_object(_API, "ServiceMonitor", name, NAMESPACE, spec=spec)
