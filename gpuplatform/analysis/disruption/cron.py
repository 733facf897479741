"""The schedules of budgets: five fields of numbers, in UTC, read as Karpenter's library reads them.

robfig/cron v3.0.1, ``ParseStandard``: lists, ranges and steps of numbers, Sunday is 0. The library also reads names,
macros and seconds; the platform never writes them, so they are refused here.
"""

from __future__ import annotations

import datetime
import functools
import re
from dataclasses import dataclass

_PART = re.compile(r"(?:(?P<any>\*)|(?P<low>\d+)(?:-(?P<high>\d+))?)(?:/(?P<step>[1-9]\d*))?", re.ASCII)
_BOUNDS = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 6))


@dataclass(frozen=True, slots=True)
class Schedule:
    """The minutes at which a schedule begins a period."""

    minutes: frozenset[int]
    hours: frozenset[int]
    days_of_month: frozenset[int]
    months: frozenset[int]
    days_of_week: frozenset[int]
    """Sunday is 0."""
    any_day_of_month: bool
    any_day_of_week: bool

    def on(self, day: datetime.datetime) -> bool:
        """Whether the schedule includes a day."""
        month, week = day.day in self.days_of_month, day.isoweekday() % 7 in self.days_of_week
        # Where both fields are restricted, one of them is enough.
        is_day = (month and week) if self.any_day_of_month or self.any_day_of_week else (month or week)
        return is_day and day.month in self.months


@functools.lru_cache(maxsize=1024)
def parse(text: str) -> Schedule:
    """A schedule from its five fields; ValueError names a field that cannot be read."""
    fields = text.split()
    if len(fields) != len(_BOUNDS):
        raise ValueError(f"schedule {text!r}: expected five fields")
    values = [_field(field, *bounds) for field, bounds in zip(fields, _BOUNDS, strict=True)]
    return Schedule(*values, any_day_of_month=_begins_with_any(fields[2]), any_day_of_week=_begins_with_any(fields[4]))


def _begins_with_any(field: str) -> bool:
    """Whether the library takes the field as unrestricted: for a star anywhere in the list, with no step above one."""
    return any(part in ("*", "*/1") for part in field.split(","))


def _field(field: str, lowest: int, highest: int) -> frozenset[int]:
    numbers: set[int] = set()
    for part in field.split(","):
        match = _PART.fullmatch(part)
        if match is None:
            raise ValueError(f"schedule field {field!r}: expected numbers, ranges and steps")
        step = int(match["step"] or 1)
        if match["any"]:
            low, high = lowest, highest
        else:
            low = int(match["low"])
            # "5/15" runs to the end of the field, "5" is itself.
            high = int(match["high"]) if match["high"] else (highest if match["step"] else low)
        if not lowest <= low <= high <= highest:
            raise ValueError(f"schedule field {field!r}: expected {lowest} to {highest}, in order")
        numbers |= set(range(low, high + 1, step))
    return frozenset(numbers)
