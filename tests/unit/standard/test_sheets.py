"""The fact sheets: one for each chart that is installed, and each consistent in itself."""

from __future__ import annotations

import re
from importlib import resources

import pytest
from pydantic import ValidationError

from gpuplatform.standard.sheets.sheet import Definitions, Kind, MeantFor, PodSecurityLevel, Sheet, Workload, sheets
from gpuplatform.standard.versions import CHARTS

ALL = tuple(sheets().values())
WORKLOADS = [
    pytest.param(sheet, workload, id=f"{sheet.name}-{workload.name}") for sheet in ALL for workload in sheet.workloads
]
OF_CHARTS = [
    pytest.param(sheet, workload, id=f"{sheet.name}-{workload.name}")
    for sheet in ALL
    if sheet.name in CHARTS
    for workload in sheet.workloads
]


def test_a_sheet_is_named_like_its_file() -> None:
    folder = resources.files("gpuplatform.standard.sheets") / "data"
    assert {file.name.removesuffix(".yaml") for file in folder.iterdir()} == set(sheets())


@pytest.mark.parametrize("chart", sorted(set(CHARTS) & set(sheets())))
def test_a_sheet_is_of_the_version_that_is_pinned(chart: str) -> None:
    assert sheets()[chart].version == CHARTS[chart].pin.version


@pytest.mark.parametrize("sheet", ALL, ids=lambda sheet: sheet.name)
def test_a_sheet_read_at_another_version_says_at_which(sheet: Sheet) -> None:
    assert sheet.verified or re.search(r"\d+\.\d+", sheet.source)


@pytest.mark.parametrize("sheet", ALL, ids=lambda sheet: sheet.name)
def test_no_two_workloads_of_a_chart_share_kind_and_name(sheet: Sheet) -> None:
    named = [(workload.kind, workload.name) for workload in sheet.workloads]
    assert len(set(named)) == len(named)


@pytest.mark.parametrize("sheet", ALL, ids=lambda sheet: sheet.name)
def test_behind_every_service_stands_a_workload(sheet: Sheet) -> None:
    worn = [workload.labels.items() for workload in sheet.workloads]
    assert [
        service.name
        for service in sheet.services
        if not any(service.selector.items() <= pod_labels for pod_labels in worn)
    ] == []


@pytest.mark.parametrize(("sheet", "workload"), OF_CHARTS)
def test_values_reach_the_placement_of_every_controller_and_hook(sheet: Sheet, workload: Workload) -> None:
    if workload.place is MeantFor.SYSTEM:
        assert workload.paths.tolerations, sheet.name
        assert workload.paths.node_selector, sheet.name


@pytest.mark.parametrize(("sheet", "workload"), WORKLOADS)
def test_what_no_node_affinity_and_no_selector_holds_is_meant_for_every_node_or_held_by_values(
    sheet: Sheet, workload: Workload
) -> None:
    is_held = workload.node_selector or workload.node_terms or workload.is_bound
    reachable = workload.paths.node_selector or workload.paths.affinity
    assert is_held or reachable or workload.place is MeantFor.EVERY_NODE, sheet.name


@pytest.mark.parametrize(("sheet", "workload"), WORKLOADS)
def test_a_hook_is_a_job_and_a_job_is_a_hook(sheet: Sheet, workload: Workload) -> None:
    assert (workload.kind is Kind.JOB) == bool(workload.hooks), sheet.name


@pytest.mark.parametrize("sheet", ALL, ids=lambda sheet: sheet.name)
def test_a_chart_with_definitions_says_how_many_and_of_which_groups(sheet: Sheet) -> None:
    has_definitions = sheet.definitions is not Definitions.NONE
    assert (sheet.definition_count > 0, bool(sheet.definition_groups)) == (has_definitions, has_definitions)


def test_a_chart_is_as_strict_as_its_laxest_pod() -> None:
    assert sheets()["kueue"].pod_security is PodSecurityLevel.RESTRICTED
    assert sheets()["keda"].pod_security is PodSecurityLevel.RESTRICTED
    assert sheets()["kube-prometheus-stack"].pod_security is PodSecurityLevel.PRIVILEGED


def test_a_workload_that_depends_on_a_switch_which_the_sheet_does_not_know_is_refused() -> None:
    workload = Workload(kind=Kind.JOB, name="job", place=MeantFor.SYSTEM, when="missing.enabled")
    with pytest.raises(ValidationError, match=r"no switch missing\.enabled"):
        Sheet(name="chart", version="1", source="nowhere", workloads=(workload,))


def test_what_the_chart_reads_is_every_path_that_the_sheet_names() -> None:
    readable = sheets()["keda"].readable
    assert {"tolerations", "resources.webhooks", "podDisruptionBudget.metricServer"} <= readable
    assert "metricServer.replicaCount" not in readable
