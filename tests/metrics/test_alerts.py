"""Every alert fires on samples that should fire it and is quiet where one is otherwise, by the real promtool."""

from __future__ import annotations

import math
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from gpuplatform.render.monitoring.stack import alerts, rules
from sandbox.tools.acquire import at_hand
from sandbox.tools.table import PROMTOOL
from tests import tiers
from tests.builders import ROOT, STACKS, stack_settings
from tests.figures import Figures
from tests.metrics.cases import CASES, Case

pytestmark = [pytest.mark.metrics, pytest.mark.xdist_group("metrics")]


@pytest.fixture(scope="module")
def promtool() -> Path:
    return tiers.at_hand("metrics", at_hand(PROMTOOL)).command


def written(folder: Path, stack: str) -> Path:
    spec = rules(stack_settings(stack))["spec"]
    file = folder / f"{stack}.rules.yaml"
    file.write_text(yaml.safe_dump(spec), encoding="utf-8")
    return file


def ran(promtool: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([promtool, *arguments], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("stack", STACKS)
def test_the_rules_of_a_stack_are_what_prometheus_reads(promtool: Path, tmp_path: Path, stack: str) -> None:
    checked = ran(promtool, "check", "rules", "--lint-fatal", written(tmp_path, stack))
    assert checked.returncode == 0, checked.stdout + checked.stderr


def of_cases() -> set[str]:
    """Every alert of the stacks that the cases are about."""
    return {each.name for stack in {case.stack for case in CASES} for each in alerts(stack_settings(stack))}


def test_a_queues_first_eviction_is_told_although_its_counter_begins_with_it(promtool: Path, tmp_path: Path) -> None:
    (case,) = (each for each in CASES if each.alert == "QueueWorkEvicted")
    born = {name: [math.nan] * (len(samples) - 1) + [1.0] for name, samples in case.series.items()}
    told = judged(promtool, written(tmp_path, case.stack), case, born, 1)
    assert told.returncode == 0, told.stdout + told.stderr


def test_an_eviction_tells_which_queues_preempted_in_the_same_window_and_how_to_see_the_events(
    promtool: Path, tmp_path: Path
) -> None:
    (case,) = (each for each in CASES if each.alert == "QueueWorkEvicted")
    rule_file = written(tmp_path, case.stack)
    (rule,) = (
        each
        for group in yaml.safe_load(rule_file.read_text(encoding="utf-8"))["groups"]
        for each in group["rules"]
        if each.get("alert") == case.alert and each["labels"].get("queue") == "training"
    )
    told = {name: re.sub(r"{{ range .*{{ end }}", "research ", text) for name, text in rule["annotations"].items()}
    told["summary"] = told["summary"].replace("{{ $labels.reason }}", "Preempted")
    assert "reason=Preempted" in told["description"]
    before, length = 10, case.minute + 11
    preempted = "kueue_preempted_workloads_total"
    series = {
        **{name: [0.0] * before + list(samples) for name, samples in case.series.items()},
        f'{preempted}{{preempting_cluster_queue="research"}}': [math.nan] * (length - 1) + [1.0],
        f'{preempted}{{preempting_cluster_queue="long-ago"}}': [3.0] * length,
    }
    later = replace(case, minute=length - 1)
    asked = asked_of(later, series, 1) | {
        "alert_rule_test": [
            {
                "eval_time": f"{later.minute}m",
                "alertname": case.alert,
                "exp_alerts": [
                    {
                        "exp_labels": {**rule["labels"], "cluster_queue": "training", "reason": "Preempted"},
                        "exp_annotations": told,
                    }
                ],
            }
        ]
    }
    found = asked_about(promtool, rule_file, "told", asked)
    assert found.returncode == 0, found.stdout + found.stderr


def sample(value: float) -> str:
    """As promtool reads it; not a number is no sample."""
    if math.isnan(value):
        return "_"
    return f"{value:g}" if value < 1e5 else str(int(value))


def asked_of(case: Case, series: Mapping[str, Sequence[float]], firing: int) -> dict[str, object]:
    expr = f'(count(ALERTS{{alertname="{case.alert}",alertstate="firing"}}) > bool 0) or vector(0)'
    return {
        "interval": "1m",
        "input_series": [
            {"series": name, "values": " ".join(map(sample, samples))} for name, samples in series.items()
        ],
        "promql_expr_test": [
            {"expr": expr, "eval_time": f"{case.minute}m", "exp_samples": [{"labels": "{}", "value": firing}]}
        ],
    }


def judged(
    promtool: Path, rule_file: Path, case: Case, series: Mapping[str, Sequence[float]], firing: int
) -> subprocess.CompletedProcess[str]:
    """By promtool, whether these samples fire the alert, 1, or keep it quiet, 0."""
    return asked_about(promtool, rule_file, f"{case.alert}-{firing}", asked_of(case, series, firing))


def asked_about(
    promtool: Path, rule_file: Path, name: str, asked: Mapping[str, object]
) -> subprocess.CompletedProcess[str]:
    """What promtool says of one test."""
    file = rule_file.parent / f"{name}.yaml"
    tests = {"rule_files": [rule_file.name], "evaluation_interval": "1m", "tests": [asked]}
    file.write_text(yaml.safe_dump(tests), encoding="utf-8")
    return ran(promtool, "test", "rules", file)


def test_every_alert_fires_and_one_sample_keeps_it_quiet(promtool: Path, tmp_path: Path, figures: Figures) -> None:
    rule_files = {stack: written(tmp_path, stack) for stack in {each.stack for each in CASES}}
    wrong: list[str] = []
    for case in CASES:
        for what, series, firing in (("fires", case.series, 1), ("is quiet", case.quiet, 0)):
            told = judged(promtool, rule_files[case.stack], case, series, firing)
            if told.returncode:
                wrong.append(f"{case.alert} {what}: {told.stdout}{told.stderr}")
    assert not wrong, "\n".join(wrong)
    names = of_cases()
    figures(f"alerts: {len(names)}; fired {len(CASES)}, quiet {len(CASES)}")


def test_a_node_that_never_came_disturbs_no_training(promtool: Path, tmp_path: Path) -> None:
    rule_file = written(tmp_path, "dev")
    (case,) = (each for each in CASES if each.alert == "TrainingNodeDisrupted")
    never = {name.replace("drifted", "insufficient_capacity"): samples for name, samples in case.series.items()}
    assert never.keys() != case.series.keys()
    told = judged(promtool, rule_file, case, never, 0)
    assert told.returncode == 0, told.stdout + told.stderr


def test_every_alert_has_a_case_and_every_case_an_alert() -> None:
    names = of_cases()
    assert {each.alert for each in CASES} == names
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
    for each in alerts(stack_settings(stack)):
        page = ROOT / "docs" / "runbooks" / each.runbook
        assert "## What to do" in page.read_text(encoding="utf-8"), each.name
