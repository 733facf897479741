"""Capacity: what a stack guarantees its teams is within what its pools can have, by what it publishes (B5)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gpuplatform.faults import Fault
from policies.cel import CLOUD
from policies.kinds import STACK
from policies.rule import Severity, StackRule
from policies.subject import UNKNOWN, Plain, Subject, Unknown, at, items, mapping, number, quoted, text

_DOCUMENT = "platform"
_LINES = f"{_DOCUMENT}.capacity"


def _kept(subjects: Sequence[Subject]) -> Iterable[tuple[Subject, Fault]]:
    return [(each, fault) for each in subjects for fault in _of_stack(each)]


def _of_stack(subject: Subject) -> Iterable[Fault]:
    published = at(subject.body, _DOCUMENT)
    lines = _listed(at(published, "capacity"))
    if published is None or isinstance(lines, Unknown):
        return []  # another program's stack, or one of which nothing is known yet
    if lines is None:
        return [_unreadable(_LINES, quoted(at(published, "capacity")))]
    return [fault for place, line in enumerate(lines) for fault in _line(f"{_LINES}[{place}]", line)]


def _line(path: str, line: Plain) -> list[Fault]:
    pools, claims = mapping(at(line, "pools")), _listed(at(line, "guaranteed"))
    if isinstance(pools, Unknown) or isinstance(claims, Unknown):
        return []
    have, promised = _sum(pools.values()), _sum(at(each, "amount") for each in claims or ())
    allowed = number(at(line, "allowed_ratio"))
    if isinstance(have, Unknown) or isinstance(promised, Unknown) or isinstance(allowed, Unknown):
        return []
    if not pools or have is None or claims is None or promised is None or allowed is None:
        return [_unreadable(path, "a line that lacks one of them")]
    if promised <= have * allowed:
        return []
    of_pools = ", ".join(f"pool {name} {quoted(units)}" for name, units in sorted(pools.items()))
    of_teams = ", ".join(_said(each) for each in claims)
    return [
        Fault(
            path,
            f"{promised:g} {text(at(line, 'resource'))} guaranteed ({of_teams}) of {have:g} that can be ({of_pools})",
            f"{allowed:.2f} times what can be",
            "lower a quota, raise a ceiling, or allow a higher queues.overcommit_ratio in the stack's settings",
        )
    ]


def _listed(value: Plain) -> Sequence[Plain] | Unknown | None:
    """A list; None where the value is absent or something else."""
    is_list = isinstance(value, Sequence) and not isinstance(value, str)
    return items(value) if value is UNKNOWN or is_list else None


def _sum(amounts: Iterable[Plain]) -> float | Unknown | None:
    """None where one of them is no number."""
    total = 0.0
    for each in map(number, amounts):
        if each is None or isinstance(each, Unknown):
            return each
        total += each
    return total


def _said(claim: Plain) -> str:
    return f"{text(at(claim, 'tenant'))} {quoted(at(claim, 'amount'))} in {text(at(claim, 'namespace'))}"


def _unreadable(path: str, given: str) -> Fault:
    allowed = "a list of lines, each with units by pool, amounts guaranteed and the ratio allowed, all of them numbers"
    return Fault(path, given, allowed, "publish the capacity: what nobody states nobody keeps")


GUARANTEES_WITHIN_CAPACITY = StackRule(
    name="guarantees-within-capacity",
    description="What teams are guaranteed of cards and slices is within what their pools can have.",
    severity=Severity.HIGH,
    remediation="Lower a quota or raise a ceiling; `gpuplatform check --stack NAME` prints the capacity table.",
    kinds=(STACK,),
    judge=_kept,
    admission=CLOUD,
)

STACK_RULES = (GUARANTEES_WITHIN_CAPACITY,)
