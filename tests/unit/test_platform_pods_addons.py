"""EKS' add-ons in the fact sheets: each is there, and each of its pods finds a node that is meant for it."""

import pytest

from gpuplatform.platform_pods import faults, platform_pods
from gpuplatform.standard import versions
from gpuplatform.standard.sheets.sheet import Kind, MeantFor, sheets
from tests.builders import STACKS, stack_settings

ADDONS = versions.addons(versions.KUBERNETES.version)


@pytest.mark.parametrize("addon", sorted(ADDONS))
def test_an_add_on_has_a_sheet_of_its_pinned_version(addon: str) -> None:
    assert sheets()[addon].version == ADDONS[addon].version


@pytest.mark.parametrize("stack", STACKS)
def test_a_controller_of_an_add_on_stands_on_system_nodes_and_its_other_pods_on_every_node(stack: str) -> None:
    settings = stack_settings(stack)
    pods = [pod for pod in platform_pods(settings) if pod.chart in ADDONS]
    assert {pod.chart for pod in pods} == set(ADDONS)
    assert {pod.fact.place for pod in pods if pod.fact.kind is Kind.DEPLOYMENT} == {MeantFor.SYSTEM}
    assert {pod.fact.place for pod in pods if pod.fact.kind is Kind.DAEMON_SET} == {MeantFor.EVERY_NODE}
    assert [fault for fault in faults(settings) if any(f"charts[{addon}]" in fault.path for addon in ADDONS)] == []


def test_without_what_the_add_ons_are_told_their_controllers_stray(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = stack_settings("dev")
    monkeypatch.setattr("gpuplatform.platform_pods.addon_values", dict)
    strays = {fault.path for fault in faults(settings)}
    assert {
        "charts[coredns].Deployment[coredns]",
        "charts[metrics-server].Deployment[metrics-server]",
        "charts[aws-ebs-csi-driver].Deployment[ebs-csi-controller]",
    } <= strays
