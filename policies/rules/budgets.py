"""Disruption budgets: every week must leave a time in which a node on an old template may be replaced."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable

from gpuplatform.analysis.disruption.week import MINUTE, WEEK, Budget, budgets_of
from gpuplatform.faults import Fault
from gpuplatform.standard.markets import Reason
from policies.cel import Cel, literal
from policies.rule import Rule, Severity
from policies.subject import NODE_POOL, UNKNOWN, Plain, Subject, Unknown, at, items, items_at, text

_NO_NODES = re.compile(r"0+%?")
_MONDAY = datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC)
"""Any Monday: schedules for days of the month or for months are ignored, because they do not apply every week."""
_NAMED_SCHEDULES = {"@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@hourly": "0 * * * *", "@weekly": "0 0 * * 0"}
"""Schedules of every week that Karpenter's library knows by name (robfig/cron v3.0.1)."""


def _weeks_without_drift(subject: Subject) -> Iterable[Fault]:
    budgets = items_at(subject, "spec", "disruption", "budgets")
    if isinstance(budgets, Unknown):
        return []
    minutes = int(WEEK / MINUTE)
    blocked_minutes = 0
    for budget in budgets:
        block = _drift_block(budget)
        if block is not None:
            blocked_minutes |= block.active(_MONDAY, minutes)
    if blocked_minutes != (1 << minutes) - 1:
        return []
    return [
        Fault(
            "spec.disruption.budgets",
            f"budgets of no node that leave no minute of the week for {Reason.DRIFTED.value}",
            "a time in every week in which an old node may be replaced: of all active budgets the smallest applies",
            "shorten a window or a duration, or give the budget of no node a schedule or reasons",
        )
    ]


def _drift_block(document: Plain) -> Budget | None:
    """A budget that keeps drifted nodes in some part of every week; None for any other budget, and if it is not known.

    The API server or another rule refuses a budget that cannot be read.
    """
    parts = {key: text(at(document, key)) for key in ("nodes", "schedule", "duration")}
    nodes, reasons = parts["nodes"], items(at(document, "reasons"))
    if (
        UNKNOWN in parts.values()
        or isinstance(reasons, Unknown)
        or nodes is None
        or not _NO_NODES.fullmatch(str(nodes))
    ):
        return None
    fields: dict[str, object] = {
        key: _NAMED_SCHEDULES.get(str(value), value) for key, value in parts.items() if value is not None
    }
    if reasons:
        fields["reasons"] = [str(reason) for reason in reasons]
    try:
        (budget,) = budgets_of({"spec": {"disruption": {"budgets": [fields]}}})
    except ValueError:
        return None
    return budget if budget.concerns(Reason.DRIFTED) and _is_weekly(budget) else None


def _is_weekly(budget: Budget) -> bool:
    schedule = budget.schedule
    return schedule is None or (schedule.any_day_of_month and len(schedule.months) == 12)


DRIFT_POSSIBLE = Rule(
    name="drift-possible",
    description="The budgets of a NodePool leave a time in every week in which an old node may be replaced.",
    severity=Severity.HIGH,
    remediation="Shorten a window: if budgets of zero nodes cover the week, Karpenter never replaces a node.",
    kinds=(NODE_POOL,),
    judge=_weeks_without_drift,
    admission=Cel(
        'variables.budgets.all(b, !b.nodes.matches("^0+%?$") || b.?schedule.hasValue()'
        f" || b.?reasons.orValue([]).size() > 0 && !({literal(Reason.DRIFTED.value)} in b.reasons))",
        gap="windows that fill the week together",
    ),
)

RULES = (DRIFT_POSSIBLE,)
