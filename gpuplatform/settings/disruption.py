"""When a pool's nodes may be disrupted: allowed windows of the week in a named time zone."""

from __future__ import annotations

import enum
from typing import Annotated

from pydantic import Field

from gpuplatform.settings.model import Model
from gpuplatform.standard.markets import Reason


class Consolidation(enum.StrEnum):
    """Which nodes consolidation may remove, in Karpenter's own terms."""

    WHEN_EMPTY = "WhenEmpty"
    WHEN_EMPTY_OR_UNDERUTILIZED = "WhenEmptyOrUnderutilized"


class Day(enum.IntEnum):
    """A day of the week, Monday first, as `datetime.weekday` counts."""

    MON = 0
    TUE = 1
    WED = 2
    THU = 3
    FRI = 4
    SAT = 5
    SUN = 6


DayName = Annotated[str, Field(pattern="^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)$")]
TimeOfDay = Annotated[str, Field(pattern=r"^([01]\d|2[0-3]):[0-5]\d$|^24:00$")]


class Window(Model):
    """A time of the week in which nodes may be disrupted for the named reasons."""

    days: Annotated[tuple[DayName, ...], Field(min_length=1)]
    """The local days on which the window opens: Mon, Tue, Wed, Thu, Fri, Sat, Sun."""
    start: TimeOfDay
    """Local time at which it opens, such as 02:00."""
    end: TimeOfDay
    """Local time at which it closes; a time not later than the start is on the next day."""
    reasons: Annotated[tuple[Reason, ...], Field(min_length=1)] = tuple(Reason)


class Disruption(Model):
    """How Karpenter may disrupt running nodes. A reason that no window names is allowed at any time."""

    time_zone: str = "UTC"
    """A zone of the IANA database, such as Asia/Seoul; every window is local to it."""
    consolidation: Consolidation = Consolidation.WHEN_EMPTY
    consolidate_after_minutes: Annotated[int, Field(ge=0, le=10080)] = 10
    """How long a node must be without pod changes before it is consolidated."""
    nodes_at_once: Annotated[int, Field(ge=1, le=100)] = 1
    """Nodes of one NodePool that may be disrupted at the same time."""
    windows: tuple[Window, ...] = ()
