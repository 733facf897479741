"""Every document of the monitoring stack, and its charts' values."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from gpuplatform.plan.node_pools import plan
from gpuplatform.plan.prices import Prices
from gpuplatform.plan.queues import queue_plan
from gpuplatform.render.document import Document, kubernetes_object
from gpuplatform.render.monitoring.alert import Alert, Recording
from gpuplatform.render.monitoring.boards import BOARDS
from gpuplatform.render.monitoring.cards import card_alerts
from gpuplatform.render.monitoring.cluster import cluster_alerts
from gpuplatform.render.monitoring.panels import Board
from gpuplatform.render.monitoring.pools import pool_alerts
from gpuplatform.render.monitoring.recording import recordings
from gpuplatform.render.monitoring.scraping import (
    KARPENTER_SERIES,
    KUEUE_SERIES,
    NAMESPACE,
    counters_config_map,
    series_of,
    service_monitors,
)
from gpuplatform.render.monitoring.tenants import queue_alerts, tenant_alerts, training_alerts
from gpuplatform.render.monitoring.values import monitoring_values
from gpuplatform.settings.settings import Settings
from gpuplatform.standard import keys
from gpuplatform.standard.sheets.sheet import sheets
from gpuplatform.standard.versions import CHARTS

_RULES = "gpu-platform"


@dataclass(frozen=True, slots=True)
class MonitoringDocuments:
    """The documents and chart values that monitor a cluster."""

    namespaces: tuple[Document, ...]
    """Namespaces of the charts."""
    counters: Document
    """The card exporter's file, in the operator's namespace."""
    documents: tuple[Document, ...]
    """Monitors, rules and boards: the chart defines their kinds, so they are made after it."""
    values: dict[str, Document]
    """By the chart's name."""


def monitoring(settings: Settings) -> MonitoringDocuments | None:
    """The monitoring of a stack; None where it is switched off."""
    if not settings.monitoring.enabled:
        return None
    monitors = service_monitors(read_of_karpenter(settings), read_of_kueue(settings))
    return MonitoringDocuments(
        namespaces=tuple(map(_namespace, ("kube-prometheus-stack", "keda"))),
        counters=counters_config_map(CHARTS["gpu-operator"].namespace),
        documents=(*monitors, rules(settings), *map(_config_map, BOARDS)),
        values=monitoring_values(settings),
    )


def rules(settings: Settings) -> Document:
    """One PrometheusRule: the recording rules first, then the alerts, which may read them."""
    groups = [
        {"name": "gpu-recorded", "interval": "60s", "rules": [recording.as_rule() for recording in recorded(settings)]},
        {
            "name": "gpu-alerts",
            "rules": [alert.as_rule(settings.monitoring.runbooks_url) for alert in alerts(settings)],
        },
    ]
    return kubernetes_object("monitoring.coreos.com/v1", "PrometheusRule", _RULES, NAMESPACE, spec={"groups": groups})


def alerts(settings: Settings) -> tuple[Alert, ...]:
    """Every alert of a stack."""
    planned = plan(settings.pools, settings.network.zones)
    return (
        *card_alerts(),
        *cluster_alerts(settings.monitoring),
        *pool_alerts(planned, settings.monitoring),
        *training_alerts(planned),
        *tenant_alerts(settings.tenants),
        *queue_alerts(queue_plan(settings).teams),
    )


def recorded(settings: Settings) -> tuple[Recording, ...]:
    """Every recording rule of a stack."""
    planned = plan(settings.pools, settings.network.zones)
    return tuple(recordings(planned, Prices(settings.region, settings.cost)))


def expressions(settings: Settings) -> dict[str, str]:
    """Every PromQL expression of rules and boards, by its place."""
    by_place = {
        f"alert {alert.name} {number} {part}": expr
        for number, alert in enumerate(alerts(settings))
        for part, expr in enumerate((alert.expr, *alert.asks))
    }
    by_place |= {
        f"record {recording.record} {number}": recording.expr for number, recording in enumerate(recorded(settings))
    }
    return by_place | {f"board {board.title}: {panel.title}": panel.expr for board in BOARDS for panel in board.panels}


def read_of_karpenter(settings: Settings) -> frozenset[str]:
    """Karpenter's series that rules or boards read: no other is kept."""
    return _read(settings, KARPENTER_SERIES)


def read_of_kueue(settings: Settings) -> frozenset[str]:
    """Kueue's series that rules or boards read; empty where no namespace is queued."""
    return _read(settings, KUEUE_SERIES) if queue_plan(settings).teams else frozenset()


def _read(settings: Settings, beginnings: Collection[str]) -> frozenset[str]:
    return frozenset(name for expr in expressions(settings).values() for name in series_of(expr, beginnings))


def _namespace(chart: str) -> Document:
    """A chart's namespace with the strictest Pod Security level of its pods; the node exporter uses the host."""
    labels = {keys.MANAGED_BY: "pulumi", keys.POD_SECURITY_ENFORCE: sheets()[chart].pod_security.value}
    return kubernetes_object("v1", "Namespace", CHARTS[chart].namespace, labels=labels)


def _config_map(board: Board) -> Document:
    return kubernetes_object(
        "v1",
        "ConfigMap",
        f"board-{board.uid}",
        NAMESPACE,
        labels={"grafana_dashboard": "1"},  # by this label the chart's sidecar finds the boards
        data={f"{board.uid}.json": board.as_json()},
    )
