"""A runbook names boards that exist, and the labels of its alert fill in its commands."""

from __future__ import annotations

import re

import pytest

from gpuplatform.render.monitoring.alert import Alert
from gpuplatform.render.monitoring.boards import BOARDS
from gpuplatform.render.monitoring.stack import alerts
from tests.builders import STACKS, stack_settings

_READERS_OWN = {"CLUSTER", "FILE", "NAME"}
_SHOWN = {"NODE": ("get nodes", "-o wide"), "NODECLAIM": ("get nodeclaims",), "NAMESPACE": (" -A",)}
"""Parts of commands whose output shows such names."""

every_alert = pytest.mark.parametrize(
    "alert",
    {alert.name: alert for stack in STACKS for alert in alerts(stack_settings(stack))}.values(),
    ids=lambda alert: alert.name,
)


def labels_of(alert: Alert) -> set[str]:
    return {*alert.labels, *re.findall(r"\$labels\.(\w+)", alert.summary + alert.description)}


@every_alert
def test_words_in_capitals_are_labels_of_the_alert_or_shown_by_a_command_before(alert: Alert) -> None:
    words = {label.upper() for label in labels_of(alert)} | _READERS_OWN
    for command in alert.look:
        assert set(re.findall(r"\b[A-Z]{3,}\b", command)) <= words, command
        words |= {word for word, parts in _SHOWN.items() if any(part in command for part in parts)}


@every_alert
def test_what_is_asked_of_one_node_is_asked_on_that_node(alert: Alert) -> None:
    if "node" in labels_of(alert):
        for command in alert.look:
            of_an_operand = re.search(r"gpu-operator (exec|logs)", command)
            assert not of_an_operand or "spec.nodeName=NODE" in command, command


@every_alert
def test_the_list_of_pods_is_not_searched_for_a_pool_which_it_does_not_show(alert: Alert) -> None:
    for command in alert.look:
        if re.search(r"grep .*POOL", command):
            assert "get nodes" in command, command
            assert "-L karpenter.sh/nodepool" in command, command


@every_alert
def test_a_board_that_is_named_is_one_that_there_is(alert: Alert) -> None:
    titles = {board.title for board in BOARDS}
    for words in re.findall(r"the board (\w+ \w+)", alert.description, re.IGNORECASE):
        assert words in titles
