"""Cost: the bill that a stack publishes keeps the limits that it publishes beside it (B9)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gpuplatform.faults import Fault
from policies.cel import CLOUD
from policies.kinds import STACK
from policies.rule import Severity, StackRule
from policies.subject import UNKNOWN, Plain, Subject, at, quoted

_DOCUMENT = "platform"
_LIMITS = {
    "monthly_floor_usd": ("monthly_floor_limit_usd", "remove static nodes and reservations, or raise the limit"),
    "monthly_ceiling_usd": ("monthly_budget_usd", "lower ceilings, or raise the budget"),
}


def _within_budget(subjects: Sequence[Subject]) -> Iterable[tuple[Subject, Fault]]:
    return [(each, fault) for each in subjects for fault in _over(each)]


def _over(subject: Subject) -> Iterable[Fault]:
    published = at(subject.body, _DOCUMENT)
    if published is None or published is UNKNOWN:
        return []  # another program's stack, or one of which nothing is known yet
    cost = at(published, "cost")
    faults: list[Fault] = []
    for figure, (limit, change) in _LIMITS.items():
        path = f"{_DOCUMENT}.cost.{figure}"
        costs, allowed = at(cost, figure), at(cost, limit)
        if UNKNOWN in (costs, allowed):
            continue
        if not _is_amount(costs) or not _is_amount(allowed):
            given = f"{quoted(costs)} beside a {limit} of {quoted(allowed)}"
            faults.append(Fault(path, given, "both, in dollars: what nobody states nobody keeps", "publish both"))
        elif _amount(costs) > _amount(allowed):
            faults.append(Fault(path, f"{_amount(costs):,.0f}", f"{_amount(allowed):,.0f}, the {limit}", change))
    return faults


def _is_amount(value: Plain) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _amount(value: Plain) -> float:
    assert isinstance(value, int | float), "asked of amounts alone"
    return float(value)


BUDGET_KEPT = StackRule(
    name="budget-kept",
    description="What a stack may cost at rest and with every ceiling reached is within its limits.",
    severity=Severity.HIGH,
    remediation="Lower ceilings or remove static nodes; `gpuplatform cost --stack NAME` says what costs how much.",
    kinds=(STACK,),
    judge=_within_budget,
    admission=CLOUD,
)

STACK_RULES = (BUDGET_KEPT,)
