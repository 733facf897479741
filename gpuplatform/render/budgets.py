"""Karpenter's disruption budgets from allowed windows: they block, on a UTC schedule (N10, N11).

The smallest of all budgets that are active wins, so one budget always allows ``nodes_at_once`` and the others say zero
while a reason's window is closed.
"""

from __future__ import annotations

from collections import defaultdict

from gpuplatform.render.document import Document
from gpuplatform.settings.disruption import Day, Disruption
from gpuplatform.settings.week import blocked, weekdays
from gpuplatform.standard.reasons import Reason


def disruption_block(disruption: Disruption) -> Document:
    """The ``spec.disruption`` of an elastic NodePool."""
    return {
        "consolidationPolicy": disruption.consolidation.value,
        "consolidateAfter": f"{disruption.consolidate_after_minutes}m",
        "budgets": budgets(disruption),
    }


def budgets(disruption: Disruption) -> list[Document]:
    """One budget that allows, then one for each repeating stretch in which some reasons are blocked."""
    blocking: dict[tuple[int, int, tuple[Day, ...]], list[Reason]] = defaultdict(list)
    for reason in Reason:
        for (minute, minutes), days in weekdays(blocked(disruption, reason)).items():
            blocking[(minute, minutes, tuple(days))].append(reason)
    allowing: Document = {"nodes": str(disruption.nodes_at_once)}
    return [allowing, *(_closed(*when, reasons) for when, reasons in sorted(blocking.items()))]


def _closed(minute: int, minutes: int, days: tuple[Day, ...], reasons: list[Reason]) -> Document:
    hours, rest = divmod(minute, 60)
    budget: Document = {"nodes": "0"}
    if len(reasons) < len(Reason):
        budget["reasons"] = [reason.value for reason in reasons]
    budget["schedule"] = f"{rest} {hours} * * {_cron_days(days)}"
    budget["duration"] = f"{minutes // 60}h{minutes % 60}m" if minutes % 60 else f"{minutes // 60}h"
    return budget


def _cron_days(days: tuple[Day, ...]) -> str:
    if len(days) == len(Day):
        return "*"
    return ",".join(str(number) for number in sorted((day + 1) % 7 for day in days))  # cron counts from Sunday
