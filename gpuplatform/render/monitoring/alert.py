"""An alerting rule and a recording rule of Prometheus, and commands of runbooks."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field

from gpuplatform.render.document import Document

PLATFORM = "platform"
"""The owner of alerts that no team can act on."""


class AlertSeverity(enum.StrEnum):
    """The urgency of an alert."""

    PAGE = "critical"  # at once, by day or night: work is failing
    TICKET = "warning"  # within the day
    NOTE = "info"  # no hurry


@dataclass(frozen=True, slots=True)
class Alert:
    """One alerting rule."""

    name: str
    """CamelCase; the runbook's file is the same in kebab case."""
    expr: str
    for_minutes: int
    severity: AlertSeverity
    summary: str
    """What is happening; Prometheus replaces ``{{ $labels.x }}`` by the label's value."""
    description: str
    """The next steps for the recipient."""
    owner: str = PLATFORM
    """Who acts: the platform team (``PLATFORM``), or the tenant team of that name."""
    labels: Mapping[str, str] = field(default_factory=dict[str, str])
    asks: tuple[str, ...] = ()
    """Expressions that the description queries: Prometheus keeps their series too."""
    look: tuple[str, ...] = ()
    """Commands of the runbook that show more."""

    @property
    def runbook(self) -> str:
        """The file name of the runbook in ``docs/runbooks``."""
        words = "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in self.name)
        return f"{words.removeprefix('-')}.md"

    def as_rule(self, runbooks: str) -> Document:
        """The rule as Prometheus reads it; ``runbooks`` is the URL of the folder of runbooks."""
        return {
            "alert": self.name,
            "expr": self.expr,
            "for": f"{self.for_minutes}m",
            "labels": {"severity": self.severity.value, "owner": self.owner, **self.labels},
            "annotations": {
                "summary": self.summary,
                "description": self.description,
                "runbook_url": f"{runbooks}/{self.runbook}",
            },
        }


def on_the_node(verb: str, app: str, arguments: str) -> str:
    """A kubectl command for the GPU Operator's pod of that app on the alert's node: each GPU node has one."""
    pod = f"kubectl -n gpu-operator get pods -l app={app} --field-selector spec.nodeName=NODE -o name"
    return f'kubectl -n gpu-operator {verb} "$({pod})" {arguments}'


@dataclass(frozen=True, slots=True)
class Recording:
    """A recording rule: a series that Prometheus computes from others."""

    record: str
    expr: str
    labels: Mapping[str, str] = field(default_factory=dict[str, str])

    def as_rule(self) -> Document:
        """The rule as Prometheus reads it."""
        rule: Document = {"record": self.record, "expr": self.expr}
        return {**rule, "labels": dict(self.labels)} if self.labels else rule
