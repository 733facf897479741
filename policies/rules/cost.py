"""Cost: the bill that a stack publishes keeps the limits that it publishes beside it (B9)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gpuplatform.faults import Fault
from policies.cel import CLOUD
from policies.kinds import STACK
from policies.rule import Severity, StackRule
from policies.subject import UNKNOWN, Subject, Unknown, at, number, quoted

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
        costs, allowed = number(at(cost, figure)), number(at(cost, limit))
        if isinstance(costs, Unknown) or isinstance(allowed, Unknown):
            continue
        if costs is None or allowed is None:
            given = f"{quoted(at(cost, figure))} beside a {limit} of {quoted(at(cost, limit))}"
            faults.append(Fault(path, given, "both, in dollars: what nobody states nobody keeps", "publish both"))
        elif costs > allowed:
            faults.append(Fault(path, f"{costs:,.0f}", f"{allowed:,.0f}, the {limit}", change))
    return faults


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
