"""Capacity: what a stack guarantees its teams is within what its pools can have, by what it publishes (B5)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from gpuplatform.faults import Fault
from gpuplatform.flow import Tight, Wish, divided, tight
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


@dataclass(frozen=True, slots=True)
class _Claim:
    said: str
    amount: float
    pools: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Line:
    resource: str
    units: Mapping[str, float]
    claims: tuple[_Claim, ...]
    allowed: float


def _line(path: str, published: Plain) -> list[Fault]:
    line = _read(published)
    if isinstance(line, Unknown):
        return []
    if line is None:
        return [_unreadable(path, "a line that lacks one of them")]
    wishes = [Wish(ceil(each.amount), each.pools) for each in line.claims]
    room = {name: int(units * Fraction(str(line.allowed))) for name, units in line.units.items()}
    return [_too_much(path, line, each) for each in tight(wishes, divided(wishes, room), room)]


def _too_much(path: str, line: _Line, bar: Tight) -> Fault:
    claims, units = [line.claims[each] for each in bar.wishes], {name: line.units[name] for name in bar.places}
    of_pools = ", ".join(f"pool {name} {have:g}" for name, have in sorted(units.items()))
    of_teams = ", ".join(each.said for each in claims)
    promised, have = sum(each.amount for each in claims), sum(units.values())
    return Fault(
        path,
        f"{promised:g} {line.resource} guaranteed ({of_teams}) of {have:g} that can be ({of_pools})",
        f"{line.allowed:.2f} times what can be",
        "lower a quota, raise a ceiling, or allow a higher queues.overcommit_ratio in the stack's settings",
    )


def _read(line: Plain) -> _Line | Unknown | None:
    """None where a part of the line is absent or something else."""
    pools, claims, allowed = (
        mapping(at(line, "pools")),
        _listed(at(line, "guaranteed")),
        number(at(line, "allowed_ratio")),
    )
    if isinstance(pools, Unknown) or isinstance(claims, Unknown) or isinstance(allowed, Unknown):
        return UNKNOWN
    units = {name: number(each) for name, each in pools.items()}
    read = [_claim(each, tuple(pools)) for each in claims or ()]
    if UNKNOWN in units.values() or UNKNOWN in read:
        return UNKNOWN
    known = {name: each for name, each in units.items() if isinstance(each, float)}
    kept = tuple(each for each in read if isinstance(each, _Claim))
    if not known or claims is None or allowed is None or len(known) < len(units) or len(kept) < len(read):
        return None
    return _Line(str(text(at(line, "resource"))), known, kept, allowed)


def _claim(claim: Plain, pools: tuple[str, ...]) -> _Claim | Unknown | None:
    """Where it names no pools, as an older release did not, any of the line may serve it."""
    amount, meant = number(at(claim, "amount")), at(claim, "pools")
    named = pools if meant is None else _listed(meant)
    if isinstance(amount, Unknown) or isinstance(named, Unknown) or UNKNOWN in (named or ()):
        return UNKNOWN
    if amount is None or named is None or any(each not in pools for each in named):
        return None
    said = f"{text(at(claim, 'tenant'))} {amount:g} in {text(at(claim, 'namespace'))}"
    return _Claim(said, amount, tuple(str(each) for each in named))


def _listed(value: Plain) -> Sequence[Plain] | Unknown | None:
    """A list; None where the value is absent or something else."""
    is_list = isinstance(value, Sequence) and not isinstance(value, str)
    return items(value) if value is UNKNOWN or is_list else None


def _unreadable(path: str, given: str) -> Fault:
    allowed = (
        "a list of lines, each with units by pool, amounts guaranteed on pools of the line and the ratio allowed, all"
        " of them numbers"
    )
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
