"""Cost: the bill that a stack publishes is within the limits that it publishes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gpuplatform.faults import Fault
from policies.cel import CLOUD
from policies.rule import Severity, StackRule
from policies.subject import PUBLISHED, STACK, UNKNOWN, Subject, Unknown, at, number, quoted

_LIMITS = {
    "monthly_floor_usd": ("monthly_floor_limit_usd", "remove static nodes and reservations, or raise the limit"),
    "monthly_ceiling_usd": ("monthly_budget_usd", "lower ceilings, or raise the budget"),
}


def _overruns(subjects: Sequence[Subject]) -> Iterable[tuple[Subject, Fault]]:
    return [(subject, fault) for subject in subjects for fault in _stack_overruns(subject)]


def _stack_overruns(subject: Subject) -> Iterable[Fault]:
    published = at(subject.body, PUBLISHED)
    if published is None or published is UNKNOWN:
        return []  # another program's stack, or one of which nothing is known yet
    cost = at(published, "cost")
    faults: list[Fault] = []
    for figure, (limit, change) in _LIMITS.items():
        path = f"{PUBLISHED}.cost.{figure}"
        amount, maximum = number(at(cost, figure)), number(at(cost, limit))
        if isinstance(amount, Unknown) or isinstance(maximum, Unknown):
            continue
        if amount is None or maximum is None:
            figures = f"{quoted(at(cost, figure))} beside a {limit} of {quoted(at(cost, limit))}"
            faults.append(
                Fault(path, figures, "both figures, in dollars, so that the limit can be checked", "publish both")
            )
        elif amount > maximum:
            faults.append(Fault(path, f"{amount:,.0f}", f"{maximum:,.0f}, the {limit}", change))
    return faults


BUDGET_KEPT = StackRule(
    name="budget-kept",
    description="The cost of a stack at rest, and with every ceiling reached, is within its limits.",
    severity=Severity.HIGH,
    remediation="Lower ceilings or remove static nodes; `gpuplatform cost --stack NAME` lists the costs.",
    kinds=(STACK,),
    judge=_overruns,
    admission=CLOUD,
)

STACK_RULES = (BUDGET_KEPT,)
