"""A rule about a change: what an object was, and what it is to become."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from gpuplatform.faults import Fault
from policies.cel import Cel
from policies.rule import Named
from policies.subject import Subject


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeRule(Named):
    """A rule that no policy pack can judge, because a pack sees no earlier state, and that a file does not tell.

    The API server judges it at every update. What a stack publishes of its NodePools is judged before that: by the
    program in every preview and update, and by ``gpuplatform check``.
    """

    judge: Callable[[Subject, Subject], Iterable[Fault]]
    """What was, and what is to be."""
    admission: Cel
