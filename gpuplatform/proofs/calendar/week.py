"""How many nodes of a NodePool Karpenter may disrupt, for which reason, at which time of a week.

As Karpenter v1.14.1 computes it (``pkg/apis/v1/nodepool.go``, ``GetAllowedDisruptionsByReason``): of all budgets that
are active and name the reason, or none, the smallest wins; a share of the nodes is rounded up; a budget is active from
each hit of its schedule, included, until its duration has passed, excluded. Nodes that are being disrupted or are not
ready are subtracted from that, which no calendar can know.
"""

from __future__ import annotations

import datetime
import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from gpuplatform.proofs.calendar.cron import Schedule, parse
from gpuplatform.standard.reasons import Reason

MINUTE = datetime.timedelta(minutes=1)
WEEK = datetime.timedelta(days=7)
_DURATION = re.compile(r"(?:(?P<hours>\d+)h)?(?:(?P<minutes>\d+)m)?(?:0s)?", re.ASCII)
_BY_DEFAULT: tuple[Mapping[str, object], ...] = ({"nodes": "10%"},)
"""What the NodePool's definition writes where no budget stands (karpenter.sh_nodepools.yaml, v1.14.1)."""


@dataclass(frozen=True, slots=True)
class Budget:
    """One budget of a NodePool."""

    nodes: str
    """A number, or a share such as ``10%``."""
    reasons: frozenset[str] | None
    """None: every reason."""
    schedule: Schedule | None
    """None: active at any time."""
    lasts: datetime.timedelta

    def allows(self, of_nodes: int) -> int:
        """Nodes that may be disrupted at once while it is active, of so many."""
        if self.nodes.endswith("%"):
            return -(-int(self.nodes[:-1]) * of_nodes // 100)
        return int(self.nodes)

    def concerns(self, reason: Reason) -> bool:
        """Whether it counts for a reason."""
        return self.reasons is None or reason.value in self.reasons

    def active(self, start: datetime.datetime, minutes: int) -> int:
        """In which of so many minutes from a time on it is active, as a bit mask."""
        whole = (1 << minutes) - 1
        if self.schedule is None:
            return whole
        lasts = int(self.lasts / MINUTE)
        mask, run = 0, (1 << lasts) - 1
        for hit in _hits(self.schedule, start - self.lasts, start + minutes * MINUTE):
            after = int((hit - start) / MINUTE)
            mask |= run << after if after >= 0 else run >> -after
        return mask & whole


@dataclass(frozen=True, slots=True)
class Stretch:
    """A time in which the same number of nodes may be disrupted."""

    start: datetime.datetime
    """In UTC."""
    end: datetime.datetime
    """Excluded."""
    nodes: int | None
    """None: no budget is active, so that nothing holds Karpenter back."""


def budgets_of(nodepool: Mapping[str, object]) -> tuple[Budget, ...]:
    """A NodePool's budgets; ValueError for one that this platform does not write."""
    spec = cast(Mapping[str, Mapping[str, object]], nodepool["spec"])
    written = cast(Sequence[Mapping[str, object]], spec.get("disruption", {}).get("budgets", _BY_DEFAULT))
    return tuple(_budget(each) for each in written)


def allowed_at(budgets: Iterable[Budget], reason: Reason, at: datetime.datetime, of_nodes: int) -> int | None:
    """Nodes that may be disrupted at a moment, None for any number."""
    minute = at.astimezone(datetime.UTC).replace(second=0, microsecond=0)
    return _smallest(each.allows(of_nodes) for each in budgets if each.concerns(reason) and each.active(minute, 1))


def stretches(
    budgets: Sequence[Budget], reason: Reason, monday: datetime.datetime, of_nodes: int
) -> tuple[Stretch, ...]:
    """The week that begins at a time in UTC, cut where the number changes."""
    minutes = int(WEEK / MINUTE)
    masks = [(each.allows(of_nodes), each.active(monday, minutes)) for each in budgets if each.concerns(reason)]
    edges = {0, minutes}
    for _, mask in masks:
        changed = (mask ^ (mask << 1)) & ((1 << minutes) - 1) & ~1
        while changed:
            lowest = changed & -changed
            edges.add(lowest.bit_length() - 1)
            changed ^= lowest
    found: list[Stretch] = []
    for start, end in itertools.pairwise(sorted(edges)):
        nodes = _smallest(allows for allows, mask in masks if mask >> start & 1)
        if found and found[-1].nodes == nodes:
            found[-1] = Stretch(found[-1].start, monday + end * MINUTE, nodes)
        else:
            found.append(Stretch(monday + start * MINUTE, monday + end * MINUTE, nodes))
    return tuple(found)


def _budget(written: Mapping[str, object]) -> Budget:
    reasons = cast(Sequence[str] | None, written.get("reasons"))
    schedule = written.get("schedule")
    lasts = _DURATION.fullmatch(str(written.get("duration", "")))
    if lasts is None:
        raise ValueError(f"duration {written['duration']!r}: hours and minutes are wanted")
    return Budget(
        str(written["nodes"]),
        None if reasons is None else frozenset(reasons),
        None if schedule is None else parse(str(schedule)),
        datetime.timedelta(hours=int(lasts["hours"] or 0), minutes=int(lasts["minutes"] or 0)),
    )


def _hits(schedule: Schedule, after: datetime.datetime, before: datetime.datetime) -> Iterable[datetime.datetime]:
    """Every hit later than one time and earlier than another."""
    day = after.replace(hour=0, minute=0)
    while day < before:
        if schedule.on(day):
            for hour, minute in itertools.product(sorted(schedule.hours), sorted(schedule.minutes)):
                hit = day.replace(hour=hour, minute=minute)
                if after < hit < before:
                    yield hit
        day += datetime.timedelta(days=1)


def _smallest(found: Iterable[int]) -> int | None:
    return min(found, default=None)
