"""The kinds of rules, and a finding: a rule is a name, a reason and a pure function from plain data to faults.

``Rule`` is about one thing, ``StackRule`` about things together, ``ViewRule`` about one thing in a named stack,
``ChangeRule`` about one thing before and after a change. Nothing here knows Pulumi, so that the same rules judge a
preview, a pull request and what reaches the API server.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from gpuplatform.analysis.placement.view import StackView
from gpuplatform.faults import Fault
from policies.cel import TOGETHER, Admission, Cel
from policies.subject import Kind, Subject


class Severity(enum.StrEnum):
    """How bad it is to break the rule, in the words of the policy engine."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    CRITICAL = "critical"


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleFields:
    """The fields that every kind of rule has."""

    name: str
    """Kebab case, unique in the pack; refusals show it."""
    description: str
    severity: Severity
    remediation: str
    """What to do in general; each fault says what to do in its own case."""
    kinds: tuple[Kind, ...]
    """The kinds that the rule judges; it never gets another kind."""

    def applies_to(self, subject: Subject) -> bool:
        """Whether the rule judges such a subject."""
        return any(subject.is_a(kind) for kind in self.kinds)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule(RuleFields):
    """A rule about one thing at a time."""

    judge: Callable[[Subject], Iterable[Fault]]
    admission: Admission
    """The rule as CEL for the API server, or the reason why the API server cannot apply it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StackRule(RuleFields):
    """A rule about several things together."""

    judge: Callable[[Sequence[Subject]], Iterable[tuple[Subject, Fault]]]
    """Gets every subject of its kinds, in the stack's order."""
    admission: Admission = TOGETHER


@dataclass(frozen=True, slots=True)
class Finding:
    """One rule broken by one thing."""

    rule: RuleFields
    subject: Subject
    fault: Fault

    def __str__(self) -> str:
        return f"{self.rule.name}: {self.subject}: {self.fault}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewRule(RuleFields):
    """A rule that needs a stack; it is skipped if no stack is named."""

    judge: Callable[[Subject, StackView], Iterable[Fault]]
    admission: Admission
    """The rule as CEL for the API server, which reads the stack from a ConfigMap, or the reason why it cannot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeRule(RuleFields):
    """A rule about a change. A policy pack cannot judge it, because it sees no earlier state; nor does a file show one.

    The API server judges it at every update. What a stack publishes of its NodePools is judged before that: by the
    program in every preview and update, and by ``gpuplatform check``.
    """

    judge: Callable[[Subject, Subject], Iterable[Fault]]
    """Gets the subject before and after the change."""
    admission: Cel
