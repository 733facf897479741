"""A counter appears with its first event and so shows no increase; alerts about events must fire all the same."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import pytest

from gpuplatform.render.monitoring.boards import BOARDS
from tests.builders import stack_settings
from tests.metrics.cases import CASES, Case
from tests.metrics.promtool import Rules
from tests.metrics.server import of_all

pytestmark = [pytest.mark.metrics, pytest.mark.xdist_group("metrics")]

_BEGINNING_WITH_AN_EVENT = ("karpenter_", "kueue_")
"""These exporters make a series at its first event; the card exporter's series begin at zero when it starts."""
COUNTED = [
    case
    for case in CASES
    if all(name.startswith(_BEGINNING_WITH_AN_EVENT) and "_total{" in name for name in case.series)
]
_ABSENT = [math.nan]


@pytest.fixture
def judge(request: pytest.FixtureRequest, tmp_path: Path) -> Rules:
    case: Case = request.getfixturevalue("case")
    return Rules.of(stack_settings(case.stack), tmp_path / "rules.yaml")


def only(case: Case, samples: Sequence[float]) -> dict[str, Sequence[float]]:
    (name,) = case.series
    return {name: samples}


def last(case: Case) -> float:
    (samples,) = case.series.values()
    return samples[-1]


def test_the_alerts_about_events_are_these() -> None:
    assert {case.alert for case in COUNTED} == {
        "CapacityInsufficient",
        "NodeLaunchFailing",
        "QueueWorkEvicted",
        "SpotInterruptionStorm",
        "TrainingNodeDisrupted",
    }


@pytest.mark.parametrize("case", COUNTED, ids=lambda case: case.alert)
def test_the_first_events_are_told_although_the_counter_begins_with_them(case: Case, judge: Rules) -> None:
    born = only(case, _ABSENT * 60 + [last(case)])
    assert judge.fault(born, 60, **{case.alert: True}) == ""


@pytest.mark.parametrize("case", COUNTED, ids=lambda case: case.alert)
def test_the_alert_ends_after_its_window_although_the_counter_stays(case: Case, judge: Rules) -> None:
    stays = only(case, _ABSENT * 60 + [last(case)] * 40)
    assert judge.fault(stays, 99, **{case.alert: False}) == ""


@pytest.mark.parametrize("case", COUNTED, ids=lambda case: case.alert)
def test_fewer_first_events_than_it_asks_for_are_not_told(case: Case, judge: Rules) -> None:
    (spoilt,) = case.quiet.values()
    born = only(case, _ABSENT * 60 + [spoilt[-1]])
    assert judge.fault(born, 60, **{case.alert: False}) == ""


@pytest.mark.parametrize("case", COUNTED, ids=lambda case: case.alert)
def test_what_was_counted_before_a_gap_in_the_samples_is_not_told_again(case: Case, judge: Rules) -> None:
    gap = only(case, [last(case)] * 60 + _ABSENT * 45 + [last(case)] * 3)
    for minute in (105, 107):
        assert judge.fault(gap, minute, **{case.alert: False}) == ""


@pytest.mark.parametrize("case", COUNTED, ids=lambda case: case.alert)
def test_a_second_process_that_counts_anew_tells_its_own_first_events(case: Case, judge: Rules) -> None:
    (name,) = case.series
    after = name.replace("}", ',pod="second"}')
    series = {name: [last(case)] * 60, after: _ABSENT * 62 + [last(case)]}
    assert judge.fault(series, 62, **{case.alert: True}) == ""


def test_the_board_shows_first_events_too(tmp_path: Path) -> None:
    (board,) = (candidate for candidate in BOARDS if candidate.uid == "gpu-pools")
    disrupted = 'karpenter_nodeclaims_disrupted_total{nodepool="a",reason="drifted"}'
    born = {disrupted: _ABSENT * 60 + [2.0]}
    (panel,) = (candidate for candidate in board.panels if candidate.title == "Nodes disrupted")
    dev_rules = Rules.of(stack_settings("dev"), tmp_path / "rules.yaml")
    assert dev_rules.fault_of(born, 60, {of_all(board, panel): {'{nodepool="a",reason="drifted"}': 2.0}}) == ""
