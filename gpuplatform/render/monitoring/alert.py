"""What an alert is, and how a rule that records is written."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field

from gpuplatform.render.document import Document

PLATFORM = "platform"
"""Owner of what no team can mend."""


class Severity(enum.StrEnum):
    """What whoever is told should do."""

    PAGE = "critical"  # wake somebody: work is failing now
    TICKET = "warning"  # within the day
    NOTE = "info"  # when somebody asks


@dataclass(frozen=True, slots=True)
class Alert:
    """One alerting rule."""

    name: str
    """CamelCase; the runbook's file is the same in kebab case."""
    expr: str
    for_minutes: int
    severity: Severity
    summary: str
    """What is happening; ``{{ $labels.x }}`` is filled in by Prometheus."""
    description: str
    """What to do."""
    owner: str = PLATFORM
    """Who acts: the platform's people, or a team."""
    labels: Mapping[str, str] = field(default_factory=dict[str, str])
    asks: tuple[str, ...] = ()
    """Expressions that the description puts to Prometheus: their series are kept too."""
    look: tuple[str, ...] = ()
    """Commands that show more, for the page."""

    @property
    def runbook(self) -> str:
        """The page in ``docs/runbooks``."""
        words = "".join(f"-{each.lower()}" if each.isupper() else each for each in self.name)
        return f"{words.removeprefix('-')}.md"

    def as_rule(self, runbooks: str) -> Document:
        """As Prometheus reads it; ``runbooks`` is the address of the folder of pages."""
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
    """A command about the operator's pod of that app on the alert's node: it has one on each node with cards."""
    pod = f"kubectl -n gpu-operator get pods -l app={app} --field-selector spec.nodeName=NODE -o name"
    return f'kubectl -n gpu-operator {verb} "$({pod})" {arguments}'


@dataclass(frozen=True, slots=True)
class Recording:
    """A series that is computed as samples arrive."""

    record: str
    expr: str
    labels: Mapping[str, str] = field(default_factory=dict[str, str])

    def as_rule(self) -> Document:
        """As Prometheus reads it."""
        rule: Document = {"record": self.record, "expr": self.expr}
        return {**rule, "labels": dict(self.labels)} if self.labels else rule
