"""A rule about a change: what an object was, and what it is to become."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from gpuplatform.faults import Fault
from policies.cel import Cel
from policies.rule import Severity
from policies.subject import Kind, Subject


@dataclass(frozen=True, slots=True)
class ChangeRule:
    """A rule that a preview cannot judge, because a policy pack sees no earlier state, and a file does not tell.

    The API server judges it at every update, and ``gpuplatform check`` against what the stack last published.
    """

    name: str
    description: str
    severity: Severity
    remediation: str
    kinds: tuple[Kind, ...]
    judge: Callable[[Subject, Subject], Iterable[Fault]]
    """What was, and what is to be."""
    admission: Cel

    def applies_to(self, subject: Subject) -> bool:
        """Whether the rule is about such a thing."""
        return any(subject.is_a(kind) for kind in self.kinds)
