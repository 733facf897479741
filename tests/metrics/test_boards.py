"""A board shows what its titles say, filtered by the variables at its top."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gpuplatform.render.monitoring.boards import BOARDS
from gpuplatform.render.monitoring.panels import Board, Panel
from tests.builders import stack_settings
from tests.metrics.promtool import Rules
from tests.metrics.server import of_all

pytestmark = [pytest.mark.metrics, pytest.mark.xdist_group("metrics")]


def panel_of(title: str) -> tuple[Board, Panel]:
    ((board, panel),) = ((board, panel) for board in BOARDS for panel in board.panels if panel.title == title)
    return board, panel


def test_a_pod_that_waits_for_something_else_does_not_wait_for_cards(tmp_path: Path) -> None:
    query = of_all(*panel_of("Pods that wait for cards"))
    waits = {
        f'kube_pod_status_unschedulable{{namespace="{team}",pod="{pod}"}}': [1.0]
        for team, pod in (("ml-training", "train"), ("ml-training", "slice"), ("ml-training", "web"), ("web", "web"))
    }
    asks = {
        f'kube_pod_container_resource_requests{{namespace="ml-training",pod="{pod}",resource="{resource}"}}': [1.0]
        for pod, resource in (("train", "nvidia_com_gpu"), ("slice", "nvidia_com_mig_1g_10gb"), ("web", "cpu"))
    }
    judge = Rules.of(stack_settings("dev"), tmp_path / "rules.yaml")
    assert judge.fault_of(waits | asks, 0, {query: {'{namespace="ml-training"}': 2.0}}) == ""


def test_the_quota_of_the_chosen_team_alone_is_shown(tmp_path: Path) -> None:
    _, panel = panel_of("Quota in use")
    quota = {
        f'kube_resourcequota{{namespace="{team}",resource="requests.nvidia.com/gpu",type="{kind}"}}': [amount]
        for team in ("ml-training", "ml-serving")
        for kind, amount in (("used", 4.0), ("hard", 8.0))
    }
    judge = Rules.of(stack_settings("dev"), tmp_path / "rules.yaml")
    expected = {'{namespace="ml-training",resource="requests.nvidia.com/gpu"}': 0.5}
    assert judge.fault_of(quota, 0, {panel.expr.replace("$namespace", "ml-training"): expected}) == ""


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.uid)
def test_a_panel_that_names_what_can_be_chosen_shows_the_chosen(board: Board) -> None:
    chosen_by = {variable.label: f"${variable.name}" for variable in board.variables}
    for panel in board.panels:
        for label in re.findall(r"{{(\w+)}}", panel.legend):
            assert chosen_by.get(label, "") in panel.expr, f"{panel.title}: {label}"
