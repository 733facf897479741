"""Boards as Grafana reads them, made of panels and variables."""

from __future__ import annotations

import enum
import json
from dataclasses import dataclass

from gpuplatform.render.document import Document

_WIDTH, _HEIGHT, _COLUMNS = 12, 8, 2
_SOURCE = {"type": "prometheus", "uid": "prometheus"}


class Unit(enum.StrEnum):
    """Units by Grafana's own names."""

    CARDS = "short"
    RATIO = "percentunit"
    USD = "currencyUSD"  # Grafana has no unit for dollars an hour: the panel's title names the time
    CELSIUS = "celsius"
    WATT = "watt"
    COUNT = "none"
    MEBIBYTES = "mbytes"


@dataclass(frozen=True, slots=True)
class Panel:
    """One graph."""

    title: str
    description: str
    unit: Unit
    expr: str
    legend: str
    """The name of a series in the legend: ``{{label}}``."""
    is_table: bool = False


@dataclass(frozen=True, slots=True)
class Variable:
    """A choice at the top of a board: the values of a label."""

    name: str
    series: str
    label: str


@dataclass(frozen=True, slots=True)
class Board:
    """One dashboard."""

    uid: str
    title: str
    description: str
    variables: tuple[Variable, ...]
    panels: tuple[Panel, ...]

    def as_json(self) -> str:
        """The dashboard's document."""
        return json.dumps(
            {
                "uid": self.uid,
                "title": self.title,
                "description": self.description,
                "tags": ["gpu-platform"],
                "timezone": "browser",
                "schemaVersion": 39,
                "refresh": "1m",
                "time": {"from": "now-6h", "to": "now"},
                "templating": {"list": [_variable(variable) for variable in self.variables]},
                "panels": [_panel(number, panel) for number, panel in enumerate(self.panels)],
            },
            indent=2,
        )


def _variable(variable: Variable) -> Document:
    return {
        "name": variable.name,
        "type": "query",
        "datasource": _SOURCE,
        "query": {"query": f"label_values({variable.series}, {variable.label})", "refId": variable.name},
        "includeAll": True,
        "multi": True,
        "allValue": ".*",
        "current": {"text": "All", "value": "$__all"},
        "refresh": 2,
    }


def _panel(number: int, panel: Panel) -> Document:
    target: Document = {"refId": "A", "expr": panel.expr, "legendFormat": panel.legend, "datasource": _SOURCE}
    if panel.is_table:
        target |= {"instant": True, "format": "table"}
    return {
        "id": number + 1,
        "type": "table" if panel.is_table else "timeseries",
        "title": panel.title,
        "description": panel.description,
        "datasource": _SOURCE,
        "gridPos": {
            "h": _HEIGHT,
            "w": _WIDTH,
            "x": number % _COLUMNS * _WIDTH,
            "y": number // _COLUMNS * _HEIGHT,
        },
        "fieldConfig": {"defaults": {"unit": panel.unit.value}, "overrides": []},
        "targets": [target],
    }
