"""The week in UTC minutes: converts local windows into the times at which disruption is blocked.

A week is a bit mask of 10,080 minutes that begins on Monday 00:00 UTC. Where the zone's offset changes in the year, a
time counts as allowed only if it is allowed at every offset: the blocked time is the union over the offsets.
"""

from __future__ import annotations

import datetime
import functools
import zoneinfo
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gpuplatform.settings.disruption import Day, Disruption, Window
from gpuplatform.standard.markets import Reason

MINUTES_PER_DAY = 24 * 60
MINUTES_PER_WEEK = 7 * MINUTES_PER_DAY
_WHOLE_WEEK = (1 << MINUTES_PER_WEEK) - 1
_REFERENCE_YEAR = 2026
"""The year whose offsets are used, one of each month."""

_DAYS = {day.name.capitalize(): day for day in Day}


@dataclass(frozen=True, slots=True)
class Interval:
    """An interval of the week in UTC. It may continue past the end of Sunday."""

    start_minute: int
    """Minutes since Monday 00:00 UTC, 0 to 10,079."""
    minutes: int
    """Length, 1 to 10,080."""


@functools.cache
def utc_offsets_minutes(time_zone: str) -> frozenset[int]:
    """The zone's offsets from UTC in the year, in minutes east."""
    zone = zoneinfo.ZoneInfo(time_zone)
    offsets: set[int] = set()
    for month in range(1, 13):
        offset = datetime.datetime(_REFERENCE_YEAR, month, 15, 12, tzinfo=zone).utcoffset() or datetime.timedelta()
        offsets.add(int(offset.total_seconds() // 60))
    return frozenset(offsets)


def allowed_minutes(disruption: Disruption, reason: Reason) -> int:
    """The minutes of the UTC week in which a reason may act, as a bit mask."""
    windows = [window for window in disruption.windows if reason in window.reasons]
    if not windows:
        return _WHOLE_WEEK
    local = functools.reduce(lambda mask, window: mask | _local_mask(window), windows, 0)
    allowed = _WHOLE_WEEK
    for offset in utc_offsets_minutes(disruption.time_zone):
        allowed &= _rotated(local, -offset)
    return allowed


def blocked(disruption: Disruption, reason: Reason) -> tuple[Interval, ...]:
    """The intervals of the UTC week in which a reason may not act, in order."""
    return tuple(_intervals(_WHOLE_WEEK & ~allowed_minutes(disruption, reason)))


def never_allowed(disruption: Disruption) -> tuple[Reason, ...]:
    """Reasons whose windows never open, because the zone's offsets leave them no common minute."""
    return tuple(reason for reason in Reason if not allowed_minutes(disruption, reason))


def _minute_of_day(text: str) -> int:
    hours, minutes = text.split(":")
    return int(hours) * 60 + int(minutes)


def _local_mask(window: Window) -> int:
    start, end = _minute_of_day(window.start), _minute_of_day(window.end)
    length = end - start if end > start else end - start + MINUTES_PER_DAY
    mask = 0
    for day in window.days:
        mask |= _rotated((1 << length) - 1, _DAYS[day] * MINUTES_PER_DAY + start)
    return mask


def _rotated(mask: int, by: int) -> int:
    """The mask moved later by a number of minutes; bits past the end of the week return at its start."""
    shift = by % MINUTES_PER_WEEK
    return ((mask << shift) | (mask >> (MINUTES_PER_WEEK - shift))) & _WHOLE_WEEK


def _intervals(mask: int) -> Iterator[Interval]:
    if mask == 0:
        return
    if mask == _WHOLE_WEEK:
        yield Interval(0, MINUTES_PER_WEEK)
        return
    # A run starts at a set bit after a clear one, and ends at a clear bit after a set one.
    starts = _bits(mask & ~_rotated(mask, 1))
    ends = _bits(~mask & _rotated(mask, 1) & _WHOLE_WEEK)
    for start in starts:
        end = next((minute for minute in ends if minute > start), ends[0] + MINUTES_PER_WEEK)
        yield Interval(start, end - start)


def _bits(mask: int) -> list[int]:
    positions: list[int] = []
    while mask:
        lowest = mask & -mask
        positions.append(lowest.bit_length() - 1)
        mask ^= lowest
    return positions


def weekdays(intervals: Iterable[Interval]) -> dict[tuple[int, int], list[Day]]:
    """Intervals grouped by (minute of the day, length), each with the UTC days on which they begin."""
    repeating: dict[tuple[int, int], list[Day]] = {}
    for interval in intervals:
        day, minute = divmod(interval.start_minute, MINUTES_PER_DAY)
        repeating.setdefault((minute, interval.minutes), []).append(Day(day))
    return repeating
