"""The number of nodes of a NodePool that Karpenter may disrupt, by reason and time of the week.

Karpenter v1.14.1 computes it so (``pkg/apis/v1/nodepool.go``, ``GetAllowedDisruptionsByReason``): the smallest of all
active budgets wins that name the reason or no reason; a percentage of the nodes is rounded up; a budget is active from
each start of its schedule, included, to the end of its duration, excluded. Karpenter also subtracts nodes that are
being disrupted or are not ready, which a calendar cannot know.
"""

from __future__ import annotations

import datetime
import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from gpuplatform.analysis.disruption.cron import Schedule, parse
from gpuplatform.standard.markets import Reason

MINUTE = datetime.timedelta(minutes=1)
WEEK = datetime.timedelta(days=7)
_DURATION = re.compile(r"(?:(?P<hours>\d+)h)?(?:(?P<minutes>\d+)m)?(?:0s)?", re.ASCII)
_BY_DEFAULT: tuple[Mapping[str, object], ...] = ({"nodes": "10%"},)
"""The default of the NodePool's definition (karpenter.sh_nodepools.yaml, v1.14.1)."""


@dataclass(frozen=True, slots=True)
class Budget:
    """One budget of a NodePool."""

    nodes: str
    """A number, or a percentage such as ``10%``."""
    reasons: frozenset[str] | None
    """None: every reason."""
    schedule: Schedule | None
    """None: active at any time."""
    lasts: datetime.timedelta

    def allows(self, of_nodes: int) -> int:
        """The nodes, of so many, that may be disrupted at once while the budget is active."""
        if self.nodes.endswith("%"):
            return -(-int(self.nodes[:-1]) * of_nodes // 100)
        return int(self.nodes)

    def concerns(self, reason: Reason) -> bool:
        """Whether the budget applies to a reason."""
        return self.reasons is None or reason.value in self.reasons

    def active(self, start: datetime.datetime, minutes: int) -> int:
        """A bit mask of the minutes in which the budget is active, from a start and of so many minutes."""
        all_minutes = (1 << minutes) - 1
        if self.schedule is None:
            return all_minutes
        lasts = int(self.lasts / MINUTE)
        mask, run = 0, (1 << lasts) - 1
        for begin in _hits(self.schedule, start - self.lasts, start + minutes * MINUTE):
            offset = int((begin - start) / MINUTE)
            mask |= run << offset if offset >= 0 else run >> -offset
        return mask & all_minutes


@dataclass(frozen=True, slots=True)
class Stretch:
    """A period in which the same number of nodes may be disrupted."""

    start: datetime.datetime
    """In UTC."""
    end: datetime.datetime
    """Excluded."""
    nodes: int | None
    """None: no budget is active, so Karpenter may disrupt any number of nodes."""


def budgets_of(nodepool: Mapping[str, object]) -> tuple[Budget, ...]:
    """A NodePool's budgets; ValueError for a form of budget that the platform does not write."""
    spec = cast(Mapping[str, Mapping[str, object]], nodepool["spec"])
    documents = cast(Sequence[Mapping[str, object]], spec.get("disruption", {}).get("budgets", _BY_DEFAULT))
    return tuple(_budget(budget) for budget in documents)


def allowed_at(budgets: Iterable[Budget], reason: Reason, instant: datetime.datetime, of_nodes: int) -> int | None:
    """The nodes that may be disrupted at a moment; None for any number."""
    minute = instant.astimezone(datetime.UTC).replace(second=0, microsecond=0)
    return _smallest(
        budget.allows(of_nodes) for budget in budgets if budget.concerns(reason) and budget.active(minute, 1)
    )


def stretches(
    budgets: Sequence[Budget], reason: Reason, monday: datetime.datetime, of_nodes: int
) -> tuple[Stretch, ...]:
    """The week that begins at a time in UTC, as periods with the same number of nodes."""
    minutes = int(WEEK / MINUTE)
    masks = [(budget.allows(of_nodes), budget.active(monday, minutes)) for budget in budgets if budget.concerns(reason)]
    edges = {0, minutes}
    for _, mask in masks:
        changed = (mask ^ (mask << 1)) & ((1 << minutes) - 1) & ~1
        while changed:
            lowest = changed & -changed
            edges.add(lowest.bit_length() - 1)
            changed ^= lowest
    week: list[Stretch] = []
    for start, end in itertools.pairwise(sorted(edges)):
        nodes = _smallest(allows for allows, mask in masks if mask >> start & 1)
        if week and week[-1].nodes == nodes:
            week[-1] = Stretch(week[-1].start, monday + end * MINUTE, nodes)
        else:
            week.append(Stretch(monday + start * MINUTE, monday + end * MINUTE, nodes))
    return tuple(week)


def _budget(document: Mapping[str, object]) -> Budget:
    reasons = cast(Sequence[str] | None, document.get("reasons"))
    schedule = document.get("schedule")
    lasts = _DURATION.fullmatch(str(document.get("duration", "")))
    if lasts is None:
        raise ValueError(f"duration {document['duration']!r}: expected hours and minutes")
    return Budget(
        str(document["nodes"]),
        None if reasons is None else frozenset(reasons),
        None if schedule is None else parse(str(schedule)),
        datetime.timedelta(hours=int(lasts["hours"] or 0), minutes=int(lasts["minutes"] or 0)),
    )


def _hits(schedule: Schedule, start: datetime.datetime, end: datetime.datetime) -> Iterable[datetime.datetime]:
    """Every start of the schedule between two times, both excluded."""
    day = start.replace(hour=0, minute=0)
    while day < end:
        if schedule.on(day):
            for hour, minute in itertools.product(sorted(schedule.hours), sorted(schedule.minutes)):
                moment = day.replace(hour=hour, minute=minute)
                if start < moment < end:
                    yield moment
        day += datetime.timedelta(days=1)


def _smallest(numbers: Iterable[int]) -> int | None:
    return min(numbers, default=None)
