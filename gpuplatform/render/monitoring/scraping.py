"""What Prometheus scrapes beside the chart's own targets, and what of it is kept (M1-M3, L7)."""

from __future__ import annotations

import re
from collections.abc import Collection

from gpuplatform.catalog.dcgm_counters import counters
from gpuplatform.render.document import Document, a
from gpuplatform.render.monitoring.names import NODE_LABELS, sanitized
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
"""How its names begin: its own, and those of its objects' conditions."""
KUEUE_SERIES = ("kueue",)


def counters_config_map(namespace: str) -> Document:
    """The exporter's counter file; it must stand in the operator's namespace."""
    lines = [f"{each.field}, {each.type}, {each.help.replace(',', ';')}." for each in counters()]
    return a("v1", "ConfigMap", COUNTERS_NAME, namespace, data={_COUNTERS_KEY: "\n".join(lines) + "\n"})


def service_monitors(karpenter: Collection[str], kueue: Collection[str]) -> list[Document]:
    """The card exporter, and Karpenter and Kueue, of whose series only these are kept: none of Kueue's, no monitor.

    The operator makes a monitor for itself (v26.7.0, assets/state-operator-metrics).
    """
    monitors = [
        _monitor(
            "dcgm-exporter",
            CHARTS["gpu-operator"].namespace,
            {"app": "nvidia-dcgm-exporter"},
            {
                "port": "gpu-metrics",
                "interval": _EXPORTER_INTERVAL,
                # The exporter says which pod has the card; the target's own labels must not take its place.
                "honorLabels": True,
                "relabelings": [
                    {"sourceLabels": ["__meta_kubernetes_pod_node_name"], "targetLabel": "node"},
                    *(
                        # Without the label nothing is said, so that the other key of the same name stands.
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
            {"app.kubernetes.io/name": "karpenter"},
            {"port": "http-metrics", "interval": _INTERVAL, "metricRelabelings": [_keep(karpenter)]},
        ),
    ]
    return [*monitors, _kueue_monitor(kueue)] if kueue else monitors


def _kueue_monitor(read: Collection[str]) -> Document:
    """Kueue answers whoever the API server vouches for, over TLS by a certificate that it signed itself."""
    endpoint: Document = {
        "port": "https",
        "scheme": "https",
        "interval": _INTERVAL,
        "bearerTokenFile": _TOKEN,
        "tlsConfig": {"insecureSkipVerify": True},
        "metricRelabelings": [_keep(read)],
    }
    match = {"app.kubernetes.io/name": "kueue", "app.kubernetes.io/component": "metrics-service"}
    return _monitor("kueue", CHARTS["kueue"].namespace, match, endpoint)


def _keep(read: Collection[str]) -> Document:
    return {"sourceLabels": ["__name__"], "regex": "|".join(sorted(read)), "action": "keep"}


def series_of(expr: str, beginnings: Collection[str]) -> frozenset[str]:
    """The series that an expression asks for, of an exporter whose names begin in one of these ways."""
    without_strings = re.sub(r'"[^"]*"', "", expr)
    return frozenset(re.findall(rf"\b(?:{'|'.join(beginnings)})_\w+", without_strings))


def _monitor(name: str, namespace: str, match: dict[str, str], endpoint: Document, **more: object) -> Document:
    spec: Document = {
        "namespaceSelector": {"matchNames": [namespace]},
        "selector": {"matchLabels": match},
        "endpoints": [endpoint],
        **more,
    }
    return a(_API, "ServiceMonitor", name, NAMESPACE, spec=spec)
