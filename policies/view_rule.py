"""A rule about one thing in a stack that is known: it needs the stack's pools and namespaces beside the thing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from gpuplatform.faults import Fault
from gpuplatform.proofs.capture.view import StackView
from policies.cel import Admission
from policies.rule import Named
from policies.subject import Subject


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewRule(Named):
    """A rule that is judged where somebody names a stack, and skipped elsewhere."""

    judge: Callable[[Subject, StackView], Iterable[Fault]]
    admission: Admission
    """The same for the API server, which reads the stack from a ConfigMap, or why it cannot."""
