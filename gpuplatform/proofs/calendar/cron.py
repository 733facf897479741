"""The schedules of budgets: five fields of numbers, in UTC, read as Karpenter's library reads them.

robfig/cron v3.0.1, ``ParseStandard``: lists, ranges and steps of numbers, Sunday is 0. Names, macros and seconds, which
it knows too, are not written by this platform and are refused here.
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
    """The minutes at which a schedule hits."""

    minutes: frozenset[int]
    hours: frozenset[int]
    days_of_month: frozenset[int]
    months: frozenset[int]
    days_of_week: frozenset[int]
    """Sunday is 0."""
    any_day_of_month: bool
    any_day_of_week: bool

    def on(self, day: datetime.datetime) -> bool:
        """Whether it hits on a day."""
        month, week = day.day in self.days_of_month, day.isoweekday() % 7 in self.days_of_week
        # Where both fields are restricted, one of them is enough.
        one = (month and week) if self.any_day_of_month or self.any_day_of_week else (month or week)
        return one and day.month in self.months


@functools.lru_cache(maxsize=1024)
def parse(text: str) -> Schedule:
    """A schedule from its five fields; ValueError with the field that is not read."""
    fields = text.split()
    if len(fields) != len(_BOUNDS):
        raise ValueError(f"schedule {text!r}: five fields are wanted")
    values = [_field(field, *bounds) for field, bounds in zip(fields, _BOUNDS, strict=True)]
    return Schedule(*values, any_day_of_month=_begins_with_any(fields[2]), any_day_of_week=_begins_with_any(fields[4]))


def _begins_with_any(field: str) -> bool:
    """The library remembers a star wherever it stands in the list, and forgets it behind a step above one."""
    return any(part in ("*", "*/1") for part in field.split(","))


def _field(field: str, lowest: int, highest: int) -> frozenset[int]:
    found: set[int] = set()
    for part in field.split(","):
        match = _PART.fullmatch(part)
        if match is None:
            raise ValueError(f"schedule field {field!r}: numbers, ranges and steps are wanted")
        step = int(match["step"] or 1)
        if match["any"]:
            low, high = lowest, highest
        else:
            low = int(match["low"])
            # "5/15" runs to the end of the field, "5" is itself.
            high = int(match["high"]) if match["high"] else (highest if match["step"] else low)
        if not lowest <= low <= high <= highest:
            raise ValueError(f"schedule field {field!r}: {lowest} to {highest} are wanted, in order")
        found |= set(range(low, high + 1, step))
    return frozenset(found)
