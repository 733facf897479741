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


def _excess(subjects: Sequence[Subject]) -> Iterable[tuple[Subject, Fault]]:
    return [(subject, fault) for subject in subjects for fault in _stack_faults(subject)]


def _stack_faults(subject: Subject) -> Iterable[Fault]:
    published = at(subject.body, PUBLISHED)
    lines = list_or_none(at(published, "capacity"))
    if published is None or isinstance(lines, Unknown):
        return []  # another program's stack, or one of which nothing is known yet
    if lines is None:
        return [_format_fault(_LINES, quoted(at(published, "capacity")))]
    return [fault for place, line in enumerate(lines) for fault in _line_faults(f"{_LINES}[{place}]", line)]


@dataclass(frozen=True, slots=True)
class _Claim:
    description: str
    amount: float
    pools: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Line:
    resource: str
    units: Mapping[str, float]
    claims: tuple[_Claim, ...]
    allowed_ratio: float


def _line_faults(path: str, published: Plain) -> list[Fault]:
    line = _parse_line(published)
    if isinstance(line, Unknown):
        return []
    if line is None:
        return [_format_fault(path, "an incomplete line")]
    demands = [Demand(ceil(claim.amount), claim.pools) for claim in line.claims]
    capacity = {name: int(units * Fraction(str(line.allowed_ratio))) for name, units in line.units.items()}
    return [
        _excess_fault(path, line, bottleneck)
        for bottleneck in bottlenecks(demands, divided(demands, capacity), capacity)
    ]


def _excess_fault(path: str, line: _Line, bottleneck: Bottleneck) -> Fault:
    claims, capacity = (
        [line.claims[demand] for demand in bottleneck.wishes],
        {name: line.units[name] for name in bottleneck.places},
    )
    pools = ", ".join(f"pool {name} {units:g}" for name, units in sorted(capacity.items()))
    claim_list = ", ".join(claim.description for claim in claims)
    guaranteed, total = sum(claim.amount for claim in claims), sum(capacity.values())
    return Fault(
        path,
        f"{guaranteed:g} {line.resource} guaranteed ({claim_list}) with a capacity of {total:g} ({pools})",
        f"at most {line.allowed_ratio:.2f} times the capacity",
        "lower a quota, raise a ceiling, or allow a higher queues.overcommit_ratio in the stack's settings",
    )


def _parse_line(line: Plain) -> _Line | Unknown | None:
    """None if a part of the line is absent or of another type."""
    pools, claims, ratio = (
        mapping(at(line, "pools")),
        list_or_none(at(line, "guaranteed")),
        number(at(line, "allowed_ratio")),
    )
    if isinstance(pools, Unknown) or isinstance(claims, Unknown) or isinstance(ratio, Unknown):
        return UNKNOWN
    units = {name: number(amount) for name, amount in pools.items()}
    parsed = [_parse_claim(claim, tuple(pools)) for claim in claims or ()]
    if UNKNOWN in units.values() or UNKNOWN in parsed:
        return UNKNOWN
    pool_units = {name: amount for name, amount in units.items() if isinstance(amount, float)}
    line_claims = tuple(claim for claim in parsed if isinstance(claim, _Claim))
    if (
        not pool_units
        or claims is None
        or ratio is None
        or len(pool_units) < len(units)
        or len(line_claims) < len(parsed)
    ):
        return None
    return _Line(str(text(at(line, "resource"))), pool_units, line_claims, ratio)


def _parse_claim(claim: Plain, pools: tuple[str, ...]) -> _Claim | Unknown | None:
    """Without pools, as in an older release, every pool of the line may serve the claim."""
    amount, pool_list = number(at(claim, "amount")), at(claim, "pools")
    names = pools if pool_list is None else list_or_none(pool_list)
    if isinstance(amount, Unknown) or isinstance(names, Unknown) or UNKNOWN in (names or ()):
        return UNKNOWN
    if amount is None or names is None or any(name not in pools for name in names):
        return None
    description = f"{text(at(claim, 'tenant'))} {amount:g} in {text(at(claim, 'namespace'))}"
    return _Claim(description, amount, tuple(str(name) for name in names))


def _format_fault(path: str, given: str) -> Fault:
    allowed = (
        "a list of lines, each with the units of every pool, the guaranteed amounts and the allowed ratio, all as"
        " numbers"
    )
    return Fault(path, given, allowed, "publish the capacity, so that the guarantees can be checked")


GUARANTEES_WITHIN_CAPACITY = StackRule(
    name="guarantees-within-capacity",
    description="Guarantees of cards and slices do not exceed the capacity of the teams' pools.",
    severity=Severity.HIGH,
    remediation="Lower a quota or raise a ceiling; `gpuplatform check --stack NAME` prints the capacity table.",
    kinds=(STACK,),
    judge=_excess,
    admission=CLOUD,
)

STACK_RULES = (GUARANTEES_WITHIN_CAPACITY,)
