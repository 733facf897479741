"""Every document of the monitoring stack, and its charts' values."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from gpuplatform.render.document import Document, a
from gpuplatform.render.monitoring.alert import Alert, Recording
from gpuplatform.render.monitoring.boards import BOARDS
from gpuplatform.render.monitoring.cards import card_alerts
from gpuplatform.render.monitoring.cluster import cluster_alerts
from gpuplatform.render.monitoring.panels import Board
from gpuplatform.render.monitoring.pools import pool_alerts
from gpuplatform.render.monitoring.queues import queue_alerts
from gpuplatform.render.monitoring.recording import recordings
from gpuplatform.render.monitoring.scraping import (
    KARPENTER_SERIES,
    KUEUE_SERIES,
    NAMESPACE,
    counters_config_map,
    series_of,
    service_monitors,
)
from gpuplatform.render.monitoring.tenants import tenant_alerts, training_alerts
from gpuplatform.render.monitoring.values import monitoring_values
from gpuplatform.settings.flavors import queue_plan
from gpuplatform.settings.plan import plan
from gpuplatform.settings.prices import Prices
from gpuplatform.settings.settings import Settings
from gpuplatform.standard import keys
from gpuplatform.standard.sheets.sheet import sheets
from gpuplatform.standard.versions import CHARTS

_RULES = "gpu-platform"


@dataclass(frozen=True, slots=True)
class MonitoringDocuments:
    """What makes a cluster watched."""

    namespaces: tuple[Document, ...]
    """Of the charts."""
    counters: Document
    """The card exporter's file, in the operator's namespace."""
    documents: tuple[Document, ...]
    """Monitors, rules and boards: of kinds that the chart defines, so they come after it."""
    values: dict[str, Document]
    """By the chart's name."""


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
    """Every series that a stack computes."""
    planned = plan(settings.pools, settings.network.zones)
    return tuple(recordings(planned, Prices(settings.region, settings.cost)))


def expressions(settings: Settings) -> dict[str, str]:
    """Every expression of rules and boards, by where it stands."""
    found = {
        f"alert {each.name} {number} {part}": expr
        for number, each in enumerate(alerts(settings))
        for part, expr in enumerate((each.expr, *each.asks))
    }
    found |= {f"record {each.record} {number}": each.expr for number, each in enumerate(recorded(settings))}
    return found | {f"board {board.title}: {panel.title}": panel.expr for board in BOARDS for panel in board.panels}


def read_of_karpenter(settings: Settings) -> frozenset[str]:
    """Karpenter's series that rules or boards read: all that is kept of them."""
    return _read(settings, KARPENTER_SERIES)


def read_of_kueue(settings: Settings) -> frozenset[str]:
    """The same of Kueue's; none where no namespace is queued."""
    return _read(settings, KUEUE_SERIES) if queue_plan(settings).teams else frozenset()


def _read(settings: Settings, beginnings: Collection[str]) -> frozenset[str]:
    return frozenset(name for expr in expressions(settings).values() for name in series_of(expr, beginnings))


def monitoring(settings: Settings) -> MonitoringDocuments | None:
    """The monitoring of a stack; None where it is off."""
    if not settings.monitoring.enabled:
        return None
    monitors = service_monitors(read_of_karpenter(settings), read_of_kueue(settings))
    return MonitoringDocuments(
        namespaces=tuple(map(_namespace, ("kube-prometheus-stack", "keda"))),
        counters=counters_config_map(CHARTS["gpu-operator"].namespace),
        documents=(*monitors, rules(settings), *map(_config_map, BOARDS)),
        values=monitoring_values(settings),
    )


def _namespace(chart: str) -> Document:
    """A chart's own, at the strictest level of Pod Security that its pods satisfy; the node exporter needs the host."""
    name = CHARTS[chart].namespace
    document = a("v1", "Namespace", name)
    labels = {keys.MANAGED_BY: "pulumi", keys.POD_SECURITY_ENFORCE: sheets()[chart].pod_security.value}
    document["metadata"] = {"name": name, "labels": labels}
    return document


def rules(settings: Settings) -> Document:
    """One PrometheusRule with a group of recordings before the alerts that may read them."""
    groups = [
        {"name": "gpu-recorded", "interval": "60s", "rules": [each.as_rule() for each in recorded(settings)]},
        {"name": "gpu-alerts", "rules": [each.as_rule(settings.monitoring.runbooks_url) for each in alerts(settings)]},
    ]
    return a("monitoring.coreos.com/v1", "PrometheusRule", _RULES, NAMESPACE, spec={"groups": groups})


def _config_map(board: Board) -> Document:
    document = a("v1", "ConfigMap", f"board-{board.uid}", NAMESPACE, data={f"{board.uid}.json": board.as_json()})
    document["metadata"] = {
        "name": f"board-{board.uid}",
        "namespace": NAMESPACE,
        # What the chart's sidecar looks for.
        "labels": {"grafana_dashboard": "1"},
    }
    return document
