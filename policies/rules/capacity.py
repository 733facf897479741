"""Capacity: the guarantees that a stack publishes fit into the capacity that it publishes for its pools."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from gpuplatform.faults import Fault
from gpuplatform.plan.max_flow import Bottleneck, Demand, bottlenecks, divided
from policies.cel import CLOUD
from policies.rule import Severity, StackRule
from policies.subject import (
    PUBLISHED,
    STACK,
    UNKNOWN,
    Plain,
    Subject,
    Unknown,
    at,
    list_or_none,
    mapping,
    number,
    quoted,
    text,
)

_LINES = f"{PUBLISHED}.capacity"


def _kept(subjects: Sequence[Subject]) -> Iterable[tuple[Subject, Fault]]:
    return [(subject, fault) for subject in subjects for fault in _of_stack(subject)]


def _of_stack(subject: Subject) -> Iterable[Fault]:
    published = at(subject.body, PUBLISHED)
    lines = list_or_none(at(published, "capacity"))
    if published is None or isinstance(lines, Unknown):
        return []  # another program's stack, or one of which nothing is known yet
    if lines is None:
        return [_unreadable(_LINES, quoted(at(published, "capacity")))]
    return [fault for place, line in enumerate(lines) for fault in _line(f"{_LINES}[{place}]", line)]


@dataclass(frozen=True, slots=True)
class _Claim:
    words: str
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
    wishes = [Demand(ceil(claim.amount), claim.pools) for claim in line.claims]
    room = {name: int(units * Fraction(str(line.allowed))) for name, units in line.units.items()}
    return [_too_much(path, line, bottleneck) for bottleneck in bottlenecks(wishes, divided(wishes, room), room)]


def _too_much(path: str, line: _Line, bar: Bottleneck) -> Fault:
    claims, units = [line.claims[wish] for wish in bar.wishes], {name: line.units[name] for name in bar.places}
    of_pools = ", ".join(f"pool {name} {have:g}" for name, have in sorted(units.items()))
    of_teams = ", ".join(claim.words for claim in claims)
    promised, have = sum(claim.amount for claim in claims), sum(units.values())
    return Fault(
        path,
        f"{promised:g} {line.resource} guaranteed ({of_teams}) with a capacity of {have:g} ({of_pools})",
        f"at most {line.allowed:.2f} times the capacity",
        "lower a quota, raise a ceiling, or allow a higher queues.overcommit_ratio in the stack's settings",
    )


def _read(line: Plain) -> _Line | Unknown | None:
    """None if a part of the line is absent or of another type."""
    pools, claims, allowed = (
        mapping(at(line, "pools")),
        list_or_none(at(line, "guaranteed")),
        number(at(line, "allowed_ratio")),
    )
    if isinstance(pools, Unknown) or isinstance(claims, Unknown) or isinstance(allowed, Unknown):
        return UNKNOWN
    units = {name: number(amount) for name, amount in pools.items()}
    read = [_claim(claim, tuple(pools)) for claim in claims or ()]
    if UNKNOWN in units.values() or UNKNOWN in read:
        return UNKNOWN
    known_units = {name: amount for name, amount in units.items() if isinstance(amount, float)}
    kept = tuple(claim for claim in read if isinstance(claim, _Claim))
    if not known_units or claims is None or allowed is None or len(known_units) < len(units) or len(kept) < len(read):
        return None
    return _Line(str(text(at(line, "resource"))), known_units, kept, allowed)


def _claim(claim: Plain, pools: tuple[str, ...]) -> _Claim | Unknown | None:
    """Without pools, as in an older release, every pool of the line may serve the claim."""
    amount, meant = number(at(claim, "amount")), at(claim, "pools")
    named = pools if meant is None else list_or_none(meant)
    if isinstance(amount, Unknown) or isinstance(named, Unknown) or UNKNOWN in (named or ()):
        return UNKNOWN
    if amount is None or named is None or any(name not in pools for name in named):
        return None
    words = f"{text(at(claim, 'tenant'))} {amount:g} in {text(at(claim, 'namespace'))}"
    return _Claim(words, amount, tuple(str(name) for name in named))


def _unreadable(path: str, written: str) -> Fault:
    allowed = (
        "a list of lines, each with the units of every pool, the guaranteed amounts and the allowed ratio, all as"
        " numbers"
    )
    return Fault(path, written, allowed, "publish the capacity, so that the guarantees can be checked")


GUARANTEES_WITHIN_CAPACITY = StackRule(
    name="guarantees-within-capacity",
    description="Guarantees of cards and slices do not exceed the capacity of the teams' pools.",
    severity=Severity.HIGH,
    remediation="Lower a quota or raise a ceiling; `gpuplatform check --stack NAME` prints the capacity table.",
    kinds=(STACK,),
    judge=_kept,
    admission=CLOUD,
)

STACK_RULES = (GUARANTEES_WITHIN_CAPACITY,)
