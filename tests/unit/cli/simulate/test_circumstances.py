"""How the options of ``simulate`` are read, and which values are refused before anything starts."""

from __future__ import annotations

import datetime
import zoneinfo
from pathlib import Path

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli.simulate.circumstances import event, moment, shortages
from gpuplatform.accept import check_file
from gpuplatform.settings.settings import Settings
from sandbox.simulate.scenario import Disturbance, Shock, Shortage

ROOT = Path(__file__).parents[4]
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
NOW = datetime.datetime(2026, 11, 18, 12, 0, tzinfo=datetime.UTC)  # a Wednesday


@pytest.fixture(scope="module")
def dev() -> Settings:
    settings = check_file(ROOT / "Pulumi.dev.yaml").settings
    assert settings is not None
    return settings


def test_a_zone_a_market_and_a_type_are_each_lacking_on_their_own(dev: Settings) -> None:
    assert shortages("us-east-1a, spot,g6.xlarge", dev) == (
        Shortage(zone="us-east-1a"),
        Shortage(market="spot"),
        Shortage(instance_type="g6.xlarge"),
    )


def test_a_family_is_all_of_its_types(dev: Settings) -> None:
    types = {shortage.instance_type for shortage in shortages("g5", dev)}
    assert {"g5.xlarge", "g5.2xlarge"} <= types
    assert all(instance_type.startswith("g5.") for instance_type in types)


def test_a_word_that_names_nothing_is_refused_with_what_there_is(dev: Settings) -> None:
    with pytest.raises(click.BadParameter, match=r"'g99' is not an instance type.*us-east-1a"):
        shortages("g5,g99", dev)


def test_a_pool_that_is_not_there_is_refused_with_those_that_are(dev: Settings) -> None:
    with pytest.raises(click.BadParameter, match=r"'inference' is not a pool of dev; its pools: .*infer"):
        event("inference", None, dev)


def test_a_pool_without_spot_cannot_be_interrupted_and_can_drift(dev: Settings) -> None:
    with pytest.raises(click.BadParameter, match="has no spot nodes"):
        event("chief", None, dev)
    assert event(None, "chief", dev) == Disturbance(Shock.DRIFT, "chief")


def test_one_event_is_shown_at_a_time(dev: Settings) -> None:
    with pytest.raises(click.UsageError, match="not both"):
        event("infer", "infer", dev)


@given(
    day=st.sampled_from(DAYS),
    hour=st.integers(0, 23),
    minute=st.integers(0, 59),
    zone=st.sampled_from(["UTC", "Asia/Seoul", "America/New_York"]),
)
def test_a_moment_is_the_next_one_of_its_name(day: str, hour: int, minute: int, zone: str) -> None:
    next_moment = moment(f"{day} {hour:02}:{minute:02} {zone}", NOW)
    local = next_moment.astimezone(zoneinfo.ZoneInfo(zone))
    assert (DAYS[local.weekday()], local.hour, local.minute) == (day, hour, minute)
    assert datetime.timedelta(0) < next_moment - NOW <= datetime.timedelta(days=7)


@pytest.mark.parametrize("written", ["Tuesday 10:30", "Tue", "Tue 25:00", "Tue 10:30 Mars/Olympus", "10:30", ""])
def test_what_is_no_moment_is_refused(written: str) -> None:
    with pytest.raises(click.BadParameter):
        moment(written, NOW)
