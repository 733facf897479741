import datetime
import zoneinfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuplatform.plan.week import (
    MINUTES_PER_WEEK,
    Interval,
    allowed_minutes,
    blocked,
    never_allowed,
    utc_offsets_minutes,
    weekdays,
)
from gpuplatform.settings.disruption import Day, Disruption, Window
from gpuplatform.standard.markets import Reason
from tests.examples import examples

DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
ZONES = ("UTC", "Asia/Seoul", "America/New_York", "Europe/Berlin", "Asia/Kolkata", "Pacific/Auckland", "Pacific/Apia")
MONDAYS = (datetime.datetime(2026, 1, 12, tzinfo=datetime.UTC), datetime.datetime(2026, 7, 13, tzinfo=datetime.UTC))
"""One in winter and one in summer; between them every zone here shows all its offsets."""


def window(days: tuple[str, ...], start: str, end: str, *reasons: Reason) -> Window:
    return Window(days=days, start=start, end=end, reasons=reasons or (Reason.DRIFTED,))


def minutes(mask: int) -> set[int]:
    return {minute for minute in range(MINUTES_PER_WEEK) if mask >> minute & 1}


def minute_of(text: str) -> int:
    hours, rest = text.split(":")
    return int(hours) * 60 + int(rest)


def naively_allowed(window_: Window, zone: str) -> set[int]:
    """Minute by minute: local wall-clock time inside the window in winter and in summer."""
    local_zone = zoneinfo.ZoneInfo(zone)
    start, end = minute_of(window_.start), minute_of(window_.end)
    allowed = set(range(MINUTES_PER_WEEK))
    for monday in MONDAYS:
        inside: set[int] = set()
        for minute in range(MINUTES_PER_WEEK):
            local = (monday + datetime.timedelta(minutes=minute)).astimezone(local_zone)
            day, now = DAYS[local.weekday()], local.hour * 60 + local.minute
            yesterday = DAYS[local.weekday() - 1]
            opened_today = day in window_.days and now >= start and (now < end or end <= start)
            opened_yesterday = end <= start and yesterday in window_.days and now < end
            if opened_today or opened_yesterday:
                inside.add(minute)
        allowed &= inside
    return allowed


times = st.builds("{:02}:{:02}".format, st.integers(0, 23), st.integers(0, 59))
day_sets = st.sets(st.sampled_from(DAYS), min_size=1).map(lambda days: tuple(sorted(days, key=DAYS.index)))
ends = st.one_of(times, st.just("24:00"))
windows = st.builds(window, day_sets, times, ends)


def of_reasons(days: tuple[str, ...], start: str, end: str, reasons: set[Reason]) -> Window:
    return window(days, start, end, *reasons)


disruptions = st.builds(
    Disruption,
    time_zone=st.sampled_from(ZONES),
    windows=st.lists(
        st.builds(of_reasons, day_sets, times, ends, st.sets(st.sampled_from(Reason), min_size=1)),
        max_size=3,
    ).map(tuple),
)


@settings(max_examples=examples(30))
@given(windows, st.sampled_from(ZONES))
def test_a_minute_is_allowed_only_if_local_time_is_in_the_window_in_winter_and_in_summer(
    window_: Window, zone: str
) -> None:
    disruption = Disruption(time_zone=zone, windows=(window_,))
    assert minutes(allowed_minutes(disruption, Reason.DRIFTED)) == naively_allowed(window_, zone)


@given(disruptions, st.sampled_from(Reason))
def test_blocked_and_allowed_are_the_whole_week_and_share_no_minute(disruption: Disruption, reason: Reason) -> None:
    allowed = minutes(allowed_minutes(disruption, reason))
    stretches = blocked(disruption, reason)
    covered = [(stretch.start_minute + n) % MINUTES_PER_WEEK for stretch in stretches for n in range(stretch.minutes)]
    assert len(covered) == len(set(covered))
    assert allowed.isdisjoint(covered)
    assert allowed | set(covered) == set(range(MINUTES_PER_WEEK))


@given(disruptions, st.sampled_from(Reason))
def test_stretches_are_as_long_as_they_can_be(disruption: Disruption, reason: Reason) -> None:
    stretches = blocked(disruption, reason)
    starts = {stretch.start_minute for stretch in stretches}
    assert len(starts) == len(stretches)
    assert all(0 <= stretch.start_minute < MINUTES_PER_WEEK and stretch.minutes >= 1 for stretch in stretches)
    if stretches != (Interval(0, MINUTES_PER_WEEK),):
        assert not any((stretch.start_minute + stretch.minutes) % MINUTES_PER_WEEK in starts for stretch in stretches)


def test_a_reason_without_a_window_is_allowed_at_any_time() -> None:
    disruption = Disruption(windows=(window(("Sun",), "02:00", "06:00"),))
    assert blocked(disruption, Reason.EMPTY) == ()
    assert blocked(disruption, Reason.DRIFTED) == (Interval(6 * 1440 + 360, MINUTES_PER_WEEK - 240),)


def test_two_windows_of_one_reason_add_up() -> None:
    disruption = Disruption(windows=(window(("Mon",), "00:00", "01:00"), window(("Mon",), "00:30", "02:00")))
    assert minutes(allowed_minutes(disruption, Reason.DRIFTED)) == set(range(120))


# Correction 20: budget schedules are UTC, and nights in Seoul begin on another UTC day.
def test_a_night_in_seoul_is_the_utc_afternoon_and_its_morning_the_day_before() -> None:
    disruption = Disruption(time_zone="Asia/Seoul", windows=(window(("Mon",), "02:00", "06:00"),))
    sunday_17_00_utc = 6 * 1440 + 17 * 60
    assert minutes(allowed_minutes(disruption, Reason.DRIFTED)) == set(range(sunday_17_00_utc, sunday_17_00_utc + 240))


def test_a_window_over_midnight_belongs_to_the_day_it_opens() -> None:
    disruption = Disruption(windows=(window(("Sun",), "22:00", "02:00"),))
    assert minutes(allowed_minutes(disruption, Reason.DRIFTED)) == {*range(120), *range(6 * 1440 + 1320, 7 * 1440)}


def test_a_window_that_ends_when_it_starts_is_a_whole_day() -> None:
    disruption = Disruption(windows=(window(("Tue",), "09:00", "09:00"),))
    assert minutes(allowed_minutes(disruption, Reason.DRIFTED)) == set(range(1440 + 540, 2 * 1440 + 540))


def test_where_clocks_change_only_the_hours_common_to_winter_and_summer_are_allowed() -> None:
    disruption = Disruption(time_zone="Europe/Berlin", windows=(window(("Wed",), "02:00", "06:00"),))
    winter = set(range(2 * 1440 + 60, 2 * 1440 + 300))
    summer = set(range(2 * 1440, 2 * 1440 + 240))
    assert minutes(allowed_minutes(disruption, Reason.DRIFTED)) == winter & summer


def test_a_window_shorter_than_the_change_of_clocks_never_opens_and_is_named() -> None:
    disruption = Disruption(
        time_zone="America/New_York", windows=(window(("Sat",), "02:00", "03:00", Reason.DRIFTED, Reason.EMPTY),)
    )
    assert never_allowed(disruption) == (Reason.DRIFTED, Reason.EMPTY)
    assert blocked(disruption, Reason.EMPTY) == (Interval(0, MINUTES_PER_WEEK),)


def test_nothing_is_blocked_without_windows() -> None:
    assert all(blocked(Disruption(), reason) == () for reason in Reason)
    assert never_allowed(Disruption()) == ()


@pytest.mark.parametrize(
    ("zone", "offsets"),
    [
        ("UTC", {0}),
        ("Asia/Seoul", {540}),
        ("Asia/Kolkata", {330}),
        ("America/New_York", {-300, -240}),
        ("Pacific/Auckland", {720, 780}),
    ],
)
def test_a_zone_has_every_offset_of_its_year(zone: str, offsets: set[int]) -> None:
    assert utc_offsets_minutes(zone) == offsets


def test_stretches_that_repeat_are_one_entry_with_their_days() -> None:
    stretches = [Interval(60, 30), Interval(1440 + 60, 30), Interval(6 * 1440 + 90, 30)]
    assert weekdays(stretches) == {(60, 30): [Day.MON, Day.TUE], (90, 30): [Day.SUN]}
