import datetime
import itertools
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuplatform.analysis.disruption.cron import parse
from gpuplatform.analysis.disruption.remarks import remarks
from gpuplatform.analysis.disruption.week import WEEK, Stretch, allowed_at, budgets_of, stretches
from gpuplatform.plan.week import allowed_minutes
from gpuplatform.render.document import Document, kubernetes_object
from gpuplatform.render.nodepools import disruption_block
from gpuplatform.settings.disruption import Consolidation, Disruption, Window
from gpuplatform.standard.markets import Reason
from tests.examples import examples
from tests.unit.analysis import calendar_moments

MONDAY = datetime.datetime(2026, 7, 13, tzinfo=datetime.UTC)
MINUTE = datetime.timedelta(minutes=1)
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")

times = st.builds("{:02}:{:02}".format, st.integers(0, 23), st.sampled_from([0, 15, 30]))
windows = st.builds(
    Window,
    days=st.lists(st.sampled_from(DAYS), min_size=1, unique=True).map(tuple),
    start=times,
    end=times,
    reasons=st.lists(st.sampled_from(Reason), min_size=1, unique=True).map(tuple),
)
disruptions = st.builds(
    Disruption,
    time_zone=st.sampled_from(["UTC", "Asia/Seoul", "America/New_York", "Asia/Kolkata"]),
    nodes_at_once=st.integers(1, 5),
    windows=st.lists(windows, max_size=2).map(tuple),
)


def _written(nodes: str, reasons: list[Reason], schedule: str | None, lasts: int) -> Document:
    budget: Document = {"nodes": nodes}
    if reasons:
        budget["reasons"] = [reason.value for reason in reasons]
    return budget if schedule is None else budget | {"schedule": schedule, "duration": f"{lasts}m"}


schedules = st.builds(
    "{} {} * * {}".format,
    st.sampled_from(["0", "30", "*/45"]),
    st.sampled_from(["*", "3", "20-23", "1/7"]),
    st.sampled_from(["*", "0", "1-5", "6,0"]),
)
budgets = st.builds(
    _written,
    st.sampled_from(["0", "1", "3", "20%"]),
    st.lists(st.sampled_from(Reason), unique=True),
    st.none() | schedules,
    st.integers(1, 9000),
)


def nodepool(disruption: Document, **spec: object) -> Document:
    template = {"spec": {"expireAfter": "Never"} | cast(Document, spec.pop("template", {}))}
    return kubernetes_object(
        "karpenter.sh/v1", "NodePool", "any", spec={"disruption": disruption, "template": template, **spec}
    )


def weeks(document: Document) -> dict[Reason, tuple[Stretch, ...]]:
    return {reason: stretches(budgets_of(document), reason, MONDAY, 10) for reason in Reason}


def remarks_on(document: Document) -> list[str]:
    return [remark.says for remark in remarks(document, weeks(document))]


@settings(max_examples=examples(40))
@given(disruptions)
def test_the_rendered_budgets_open_exactly_when_the_settings_windows_do(disruption: Disruption) -> None:
    document = nodepool(disruption_block(disruption))
    for reason, week in weeks(document).items():
        mask = 0
        for stretch in week:
            minutes = int((stretch.end - stretch.start) / MINUTE)
            assert stretch.nodes in (0, disruption.nodes_at_once)
            if stretch.nodes:
                mask |= ((1 << minutes) - 1) << int((stretch.start - MONDAY) / MINUTE)
        assert mask == allowed_minutes(disruption, reason)


@settings(max_examples=examples(60))
@given(st.lists(budgets, max_size=3), st.sampled_from(Reason), st.data())
def test_a_week_has_no_gap_and_says_at_every_moment_what_the_moment_says(
    written: list[Document], reason: Reason, data: st.DataObject
) -> None:
    parsed = budgets_of(nodepool({"budgets": written}))
    week = stretches(parsed, reason, MONDAY, 7)
    assert (week[0].start, week[-1].end) == (MONDAY, MONDAY + WEEK)
    for before, after in itertools.pairwise(week):
        assert before.end == after.start
        assert before.nodes != after.nodes
    stretch = data.draw(st.sampled_from(week))
    for at in (stretch.start, stretch.end - datetime.timedelta(seconds=1)):
        assert allowed_at(parsed, reason, at, 7) == stretch.nodes


def test_karpenters_own_code_is_asked_about_the_present_answers(pytestconfig: pytest.Config) -> None:
    """The Go side of it is in sandbox/karpenter, which CI runs: real code, real documents, these answers."""
    now = calendar_moments.text()
    if pytestconfig.getoption("update_snapshots"):
        calendar_moments.FILE.write_text(now, encoding="utf-8")
    assert calendar_moments.FILE.read_text(encoding="utf-8") == now, "run make golden"


def test_a_share_is_rounded_up_and_of_no_nodes_none() -> None:
    (budget,) = budgets_of(nodepool({"budgets": [{"nodes": "34%"}]}))
    assert [budget.allows(nodes) for nodes in (0, 1, 2, 3, 100)] == [0, 1, 1, 2, 34]


def test_a_nodepool_without_budgets_has_the_definitions_own() -> None:
    assert allowed_at(budgets_of(nodepool({})), Reason.EMPTY, MONDAY, 11) == 2


def test_no_active_budget_holds_nothing_back() -> None:
    parsed = budgets_of(nodepool({"budgets": [{"nodes": "1", "reasons": ["Empty"]}]}))
    assert allowed_at(parsed, Reason.DRIFTED, MONDAY, 10) is None


@pytest.mark.parametrize("schedule", ["@daily", "0 0 * *", "60 0 * * *", "0 0 * * MON", "5-1 0 * * *", "0 0 0 * *"])
def test_a_schedule_that_this_platform_does_not_write_is_refused_and_not_guessed(schedule: str) -> None:
    with pytest.raises(ValueError, match="expected"):
        parse(schedule)


def test_what_never_happens_is_named() -> None:
    closed: Document = {
        "consolidationPolicy": "WhenEmpty",
        "consolidateAfter": "5m",
        "budgets": [{"nodes": "0", "reasons": ["Drifted"], "schedule": "0 9 * * *", "duration": "24h"}],
    }
    assert remarks_on(nodepool(closed)) == [
        "Drifted never happens: a budget of 0 is active all week",
        "Underutilized never happens: consolidation takes empty nodes only",
    ]
    kept: Document = {"consolidateAfter": "Never", "budgets": [{"nodes": "1"}]}
    assert remarks_on(nodepool(kept)) == ["consolidateAfter is Never: its nodes are never consolidated"]
    assert "Drifted never happens: limits.nodes (2) leaves no place for a replacement" in remarks_on(
        nodepool(kept, replicas=2, limits={"nodes": "2"})
    )


def test_what_happens_in_spite_of_every_budget_is_named() -> None:
    disruption = disruption_block(Disruption(consolidation=Consolidation.WHEN_EMPTY_OR_UNDERUTILIZED))
    forced = nodepool(disruption, template={"expireAfter": "336h", "terminationGracePeriod": "1h"})
    assert remarks_on(forced) == [
        "expiry ignores budgets: a node older than 336h is replaced at any time",
        "terminationGracePeriod overrides do-not-disrupt:"
        " drift may replace a node with such pods, and ends them after 1h",
    ]
    assert remarks_on(nodepool(disruption)) == []
