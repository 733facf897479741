"""The real promtool sees every alert fire on bad samples, and stay quiet when one sample is good."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest
import yaml

from gpuplatform.render.monitoring.stack import alerts
from tests.builders import ROOT, STACKS, stack_settings
from tests.figures import Figures
from tests.metrics.cases import CASES, Case
from tests.metrics.promtool import Rules

pytestmark = [pytest.mark.metrics, pytest.mark.xdist_group("metrics")]


def rules_of(folder: Path, stack: str) -> Rules:
    return Rules.of(stack_settings(stack), folder / f"{stack}.rules.yaml")


def of_cases() -> set[str]:
    """Every alert of the stacks that the cases are about."""
    return {alert.name for stack in {case.stack for case in CASES} for alert in alerts(stack_settings(stack))}


@pytest.mark.parametrize("stack", STACKS)
def test_the_rules_of_a_stack_are_what_prometheus_reads(tmp_path: Path, stack: str) -> None:
    checked = rules_of(tmp_path, stack).checked()
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_every_alert_fires_and_one_sample_keeps_it_quiet(tmp_path: Path, figures: Figures) -> None:
    of_stack = {stack: rules_of(tmp_path, stack) for stack in {case.stack for case in CASES}}
    wrong: list[str] = []
    for case in CASES:
        for what, series, fires in (("fires", case.series, True), ("is quiet", case.quiet, False)):
            if fault := of_stack[case.stack].fault(series, case.minute, **{case.alert: fires}):
                wrong.append(f"{case.alert} {what}: {fault}")
    assert not wrong, "\n".join(wrong)
    names = of_cases()
    figures(f"alerts: {len(names)}; fired {len(CASES)}, quiet {len(CASES)}")


def test_an_eviction_tells_which_queues_preempted_in_the_same_window_and_how_to_see_the_events(tmp_path: Path) -> None:
    (case,) = (candidate for candidate in CASES if candidate.alert == "QueueWorkEvicted")
    judge = rules_of(tmp_path, case.stack)
    (rule,) = (
        entry
        for group in yaml.safe_load(judge.file.read_text(encoding="utf-8"))["groups"]
        for entry in group["rules"]
        if entry.get("alert") == case.alert and entry["labels"].get("queue") == "training"
    )
    expected_annotations = {
        name: re.sub(r"{{ range .*{{ end }}", "research ", text) for name, text in rule["annotations"].items()
    }
    expected_annotations["summary"] = expected_annotations["summary"].replace("{{ $labels.reason }}", "Preempted")
    assert "reason=Preempted" in expected_annotations["description"]
    before, length = 10, case.minute + 11
    preempted = "kueue_preempted_workloads_total"
    series = {
        **{name: [0.0] * before + list(samples) for name, samples in case.series.items()},
        f'{preempted}{{preempting_cluster_queue="research"}}': [math.nan] * (length - 1) + [1.0],
        f'{preempted}{{preempting_cluster_queue="long-ago"}}': [3.0] * length,
    }
    labels = {**rule["labels"], "cluster_queue": "training", "reason": "Preempted"}
    alert_test = {
        "eval_time": f"{length - 1}m",
        "alertname": case.alert,
        "exp_alerts": [{"exp_labels": labels, "exp_annotations": expected_annotations}],
    }
    assert judge.fault_of_test(series, alert_rule_test=[alert_test]) == ""


def test_a_node_that_never_came_disturbs_no_training(tmp_path: Path) -> None:
    (case,) = (candidate for candidate in CASES if candidate.alert == "TrainingNodeDisrupted")
    never = {name.replace("drifted", "insufficient_capacity"): samples for name, samples in case.series.items()}
    assert never.keys() != case.series.keys()
    assert rules_of(tmp_path, "dev").fault(never, case.minute, TrainingNodeDisrupted=False) == ""


def test_every_alert_has_a_case_and_every_case_an_alert() -> None:
    names = of_cases()
    assert {case.alert for case in CASES} == names
    assert len(CASES) == len(names)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.alert)
def test_the_quiet_samples_differ_in_one(case: Case) -> None:
    assert case.quiet.keys() == case.series.keys()
    differing = [
        (name, number)
        for name, samples in case.series.items()
        for number, sample in enumerate(samples)
        if case.quiet[name][number] != sample
    ]
    assert differing == [(case.spoilt, case.at)]


@pytest.mark.parametrize("stack", STACKS)
def test_the_runbook_of_every_alert_is_a_page_that_says_what_to_do(stack: str) -> None:
    for alert in alerts(stack_settings(stack)):
        page = ROOT / "docs" / "runbooks" / alert.runbook
        assert "## What to do" in page.read_text(encoding="utf-8"), alert.name
