"""What a rule is: a name, why it is there, and a pure function from plain data to faults.

Nothing here knows Pulumi, so that the same rules judge a preview, a pull request and what reaches the API server.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from gpuplatform.faults import Fault
from policies.cel import TOGETHER, Admission
from policies.subject import Kind, Subject


class Severity(enum.StrEnum):
    """How bad it would be if the rule were not kept; the words are those of the policy engine."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    CRITICAL = "critical"


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """What every rule says of itself, whatever it judges."""

    name: str
    """Kebab case, unique in the pack: what a refusal calls it."""
    description: str
    severity: Severity
    remediation: str
    """What to do, for whoever meets the rule for the first time; each fault says it for its own case."""
    kinds: tuple[Kind, ...]
    """What it is about; nothing else reaches it."""

    def applies_to(self, subject: Subject) -> bool:
        """Whether the rule is about such a thing."""
        return any(subject.is_a(kind) for kind in self.kinds)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule(Named):
    """A rule about one thing at a time."""

    judge: Callable[[Subject], Iterable[Fault]]
    admission: Admission
    """The same for the API server, or why it cannot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StackRule(Named):
    """A rule about things that only make sense together."""

    judge: Callable[[Sequence[Subject]], Iterable[tuple[Subject, Fault]]]
    """Gets every subject of its kinds, in the stack's order."""
    admission: Admission = TOGETHER


@dataclass(frozen=True, slots=True)
class Finding:
    """One rule broken by one thing."""

    rule: Named
    subject: Subject
    fault: Fault

    def __str__(self) -> str:
        return f"{self.rule.name}: {self.subject}: {self.fault}"
