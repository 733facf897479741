import datetime
import re
import zoneinfo
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuplatform.render.document import Document
from gpuplatform.render.nodepools import budgets, disruption_block
from gpuplatform.settings.disruption import Consolidation, Disruption, Window
from gpuplatform.standard.markets import Reason
from tests.builders import STACKS, stack_settings
from tests.examples import examples, sampled

WEEK = 7 * 24 * 60
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
DURATION = re.compile(r"^((([0-9]+(h|m))|([0-9]+h[0-9]+m))(0s)?)$")
"""What the NodePool CRD wants of a budget's duration."""


def starts(schedule: str) -> list[int]:
    """Minutes of the week, from Monday 00:00 UTC, at which a cron line fires; a small evaluator of what we write."""
    minute, hour, day_of_month, month, days = schedule.split()
    assert (day_of_month, month) == ("*", "*")
    of_week = range(7) if days == "*" else [(int(day) - 1) % 7 for day in days.split(",")]  # cron counts from Sunday
    return [day * 1440 + int(hour) * 60 + int(minute) for day in of_week]


def length(duration: str) -> int:
    assert DURATION.match(duration), duration
    hours, minutes = (re.search(rf"(\d+){unit}", duration) for unit in "hm")
    return (int(hours[1]) * 60 if hours else 0) + (int(minutes[1]) if minutes else 0)


def allowed_nodes(rendered: list[Document], reason: Reason) -> list[int]:
    """How many nodes may be disrupted for a reason in each minute of the week: the smallest active budget wins."""
    most = [10**9] * WEEK
    for budget in rendered:
        reasons = cast(list[str], budget.get("reasons", [every_reason.value for every_reason in Reason]))
        if reason.value not in reasons:
            continue
        nodes = int(cast(str, budget["nodes"]))
        if "schedule" not in budget:
            most = [min(allowed, nodes) for allowed in most]
            continue
        minutes = length(cast(str, budget["duration"]))
        for start in starts(cast(str, budget["schedule"])):
            for passed in range(minutes):
                at = (start + passed) % WEEK
                most[at] = min(most[at], nodes)
    return most


def minute_of(text: str) -> int:
    hours, minutes = text.split(":")
    return int(hours) * 60 + int(minutes)


def is_open(window: Window, local: datetime.datetime) -> bool:
    start, end, now = minute_of(window.start), minute_of(window.end), local.hour * 60 + local.minute
    today, yesterday = DAYS[local.weekday()] in window.days, DAYS[local.weekday() - 1] in window.days
    if end > start:
        return today and start <= now < end
    return (today and now >= start) or (yesterday and now < end)


def forbidden(disruption: Disruption, reason: Reason, monday: datetime.datetime) -> set[int]:
    """Minutes of one real week in which the settings forbid a reason, by the clock on the wall."""
    windows = [window for window in disruption.windows if reason in window.reasons]
    zone = zoneinfo.ZoneInfo(disruption.time_zone)
    closed: set[int] = set()
    for minute in range(WEEK if windows else 0):
        local = (monday + datetime.timedelta(minutes=minute)).astimezone(zone)
        if not any(is_open(window, local) for window in windows):
            closed.add(minute)
    return closed


MONDAYS = [datetime.datetime(2026, month, day, tzinfo=datetime.UTC) for month, day in ((1, 12), (7, 13))]
times = st.builds("{:02}:{:02}".format, st.integers(0, 23), st.sampled_from([0, 30]))
day_lists = st.lists(st.sampled_from(DAYS), min_size=1, unique=True).map(tuple)
reason_lists = st.lists(st.sampled_from(Reason), min_size=1, unique=True).map(tuple)
windows = st.builds(Window, days=day_lists, start=times, end=times, reasons=reason_lists)
disruptions = st.builds(
    Disruption,
    time_zone=st.sampled_from(["UTC", "Asia/Seoul", "America/New_York", "Asia/Kolkata", "Pacific/Auckland"]),
    nodes_at_once=st.integers(1, 5),
    windows=st.lists(windows, max_size=2).map(tuple),
)


# Correction 20: schedules are UTC, and the smallest of all active budgets wins.
@settings(max_examples=examples(25, quick=3))
@given(disruptions)
def test_the_budgets_forbid_exactly_what_the_settings_forbid_at_any_time_of_the_year(disruption: Disruption) -> None:
    rendered = budgets(disruption)
    for reason in Reason:
        closed = set[int]().union(*(forbidden(disruption, reason, monday) for monday in MONDAYS))
        expected = [0 if minute in closed else disruption.nodes_at_once for minute in range(WEEK)]
        assert allowed_nodes(rendered, reason) == expected


@given(disruptions)
def test_every_budget_is_one_that_the_api_server_accepts(disruption: Disruption) -> None:
    rendered = budgets(disruption)
    assert len(rendered) <= 50
    for budget in rendered:
        assert ("schedule" in budget) == ("duration" in budget)
        assert isinstance(budget["nodes"], str)
        if "duration" in budget:
            assert length(str(budget["duration"])) > 0


@pytest.mark.parametrize("stack", sampled(STACKS))
def test_each_environments_pools_are_left_alone_when_their_settings_say_so(stack: str) -> None:
    for pool in stack_settings(stack).pools:
        rendered = budgets(pool.disruption)
        for reason in Reason:
            closed = {minute for minute, nodes in enumerate(allowed_nodes(rendered, reason)) if nodes == 0}
            assert closed == forbidden(pool.disruption, reason, MONDAYS[0])  # Seoul has one offset all year


def test_without_windows_one_budget_allows_and_nothing_blocks() -> None:
    assert budgets(Disruption(nodes_at_once=3)) == [{"nodes": "3"}]


def test_a_night_in_seoul_is_blocked_by_its_utc_hours() -> None:
    night = Window(days=("Sun",), start="02:00", end="06:00", reasons=(Reason.DRIFTED,))
    assert budgets(Disruption(time_zone="Asia/Seoul", windows=(night,))) == [
        {"nodes": "1"},
        {"nodes": "0", "reasons": ["Drifted"], "schedule": "0 21 * * 6", "duration": "164h"},
    ]


def test_reasons_with_the_same_hours_share_a_budget_and_all_three_need_no_list() -> None:
    window = Window(days=DAYS, start="09:00", end="10:30")
    assert budgets(Disruption(windows=(window,))) == [
        {"nodes": "1"},
        {"nodes": "0", "schedule": "30 10 * * *", "duration": "22h30m"},
    ]


def test_the_block_of_an_elastic_nodepool_says_when_a_node_counts_as_quiet() -> None:
    disruption = Disruption(consolidation=Consolidation.WHEN_EMPTY_OR_UNDERUTILIZED, consolidate_after_minutes=2)
    assert disruption_block(disruption) == {
        "consolidationPolicy": "WhenEmptyOrUnderutilized",
        "consolidateAfter": "2m",
        "budgets": [{"nodes": "1"}],
    }
