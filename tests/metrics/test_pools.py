"""Alerts about a pool hold for nodes of Karpenter and of EKS, and for nodes that never offered a card."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from gpuplatform.render.monitoring.stack import alerts
from gpuplatform.standard import names
from tests.builders import a_pool, a_static_pool, some_settings
from tests.metrics.promtool import Rules

pytestmark = [pytest.mark.metrics, pytest.mark.xdist_group("metrics")]

_NAME = "chief-h100-80gb-on-demand-us-east-1a"
_TYPE = 'label_node_kubernetes_io_instance_type="p5.4xlarge"'
_OF_KARPENTER = f'label_karpenter_sh_nodepool="{_NAME}"'
_GROUP = names.node_group(_NAME, ["p5.4xlarge"])
_OF_EKS = f'label_eks_amazonaws_com_nodegroup="{_GROUP}"'
_READY = 'kube_node_status_condition{node="n1",condition="Ready",status="true"}'
_OFFERS = 'kube_node_status_allocatable{node="n1",resource="nvidia_com_gpu"}'
_POD = 'namespace="ml-training",pod="train-0"'
_LONG = 30

by_either = pytest.mark.parametrize(
    ("provisioner", "wears"), [("karpenter", _OF_KARPENTER), ("managed-node-group", _OF_EKS)]
)


def judge_of(folder: Path, provisioner: str) -> Rules:
    """The rules of a stack with one static pool of one node, made by that provisioner."""
    settings = some_settings(
        pools=[a_pool(), a_static_pool(provisioner=provisioner)],
        feature_gates={"static_capacity": provisioner == "karpenter"},
    )
    return Rules.of(settings, folder / "rules.yaml")


def labels_of(wears: str) -> str:
    return f'kube_node_labels{{node="n1",{wears},{_TYPE}}}'


@by_either
def test_a_static_pool_that_has_its_nodes_is_not_short(tmp_path: Path, provisioner: str, wears: str) -> None:
    judge = judge_of(tmp_path, provisioner)
    there = {labels_of(wears): [1.0] * _LONG, _READY: [1.0] * _LONG}
    assert judge.fault(there, _LONG - 1, StaticPoolShort=False) == ""
    assert judge.fault(there | {_READY: [0.0] * _LONG}, _LONG - 1, StaticPoolShort=True) == ""
    assert judge.fault({}, _LONG - 1, StaticPoolShort=True) == ""


@by_either
def test_a_node_that_offers_less_than_its_type_has_is_told(tmp_path: Path, provisioner: str, wears: str) -> None:
    judge = judge_of(tmp_path, provisioner)
    node = {labels_of(wears): [1.0] * _LONG}
    assert judge.fault(node | {_OFFERS: [0.0] * _LONG}, _LONG - 1, GpuPluginShort=True) == ""
    assert judge.fault(node | {_OFFERS: [1.0] * _LONG}, _LONG - 1, GpuPluginShort=False) == ""


@by_either
def test_the_cards_of_a_pool_are_paid_for_and_held_whoever_made_the_node(
    tmp_path: Path, provisioner: str, wears: str
) -> None:
    asks = f'kube_pod_container_resource_requests{{{_POD},node="n1",resource="nvidia_com_gpu"}}'
    runs = f'kube_pod_status_phase{{{_POD},phase="Running"}}'
    series = {name: [1.0] * _LONG for name in (labels_of(wears), asks, runs)}
    of = f'{{nodepool="{_NAME if provisioner == "karpenter" else _GROUP}"}}'
    expected = {
        f"sum(gpu:paid_cards:sum{of})": {"{}": 1.0},
        f"sum(gpu:allocated_cards:sum{of})": {"{}": 1.0},
        f"sum(gpu:paid_usd_per_hour:sum{of}) > bool 0": {"{}": 1.0},
        f"sum(gpu:idle_usd_per_hour:sum{of})": {"{}": 0.0},
    }
    assert judge_of(tmp_path, provisioner).fault_of(series, _LONG - 1, expected) == ""


def test_a_node_whose_plugin_never_came_is_told(tmp_path: Path) -> None:
    judge = judge_of(tmp_path, "karpenter")
    node = {labels_of(_OF_KARPENTER): [1.0] * _LONG}
    assert judge.fault(node, _LONG - 1, GpuPluginShort=True) == ""
    of_other = {_OFFERS.replace("n1", "n2"): [1.0] * _LONG}
    assert judge.fault(node | of_other, _LONG - 1, GpuPluginShort=True) == ""


def test_a_node_that_has_just_started_is_not_told(tmp_path: Path) -> None:
    judge = judge_of(tmp_path, "karpenter")
    joined = [math.nan] * 5 + [1.0] * (_LONG - 5)
    offers = [math.nan] * 17 + [1.0] * (_LONG - 17)
    for minute in (16, _LONG - 1):
        series = {labels_of(_OF_KARPENTER): joined, _OFFERS: offers}
        assert judge.fault(series, minute, GpuPluginShort=False) == ""


def test_a_plugin_that_came_and_offers_too_little_is_told_from_when_the_node_joined(tmp_path: Path) -> None:
    judge = judge_of(tmp_path, "karpenter")
    offers = [math.nan] * 10 + [0.0] * 10
    series = {labels_of(_OF_KARPENTER): [1.0] * 20, _OFFERS: offers}
    assert judge.fault(series, 16, GpuPluginShort=True) == ""


CLAIMED = some_settings(
    pools=[a_pool(), a_static_pool(name="claimed", dra=True, taints=[{"key": "claims", "value": "cards"}])]
)


def test_cards_of_claims_are_paid_for_and_not_said_to_be_idle(tmp_path: Path) -> None:
    name, counted = "claimed-h100-80gb-on-demand-us-east-1a", "serve-l4-24gb-on-demand"
    nodes = {"n1": (name, "p5.4xlarge"), "n2": (counted, "g6.xlarge")}
    series = {
        f'kube_node_labels{{node="{node}",label_karpenter_sh_nodepool="{pool}",'
        f'label_node_kubernetes_io_instance_type="{of_type}"}}': [1.0] * _LONG
        for node, (pool, of_type) in nodes.items()
    }
    expected = {
        f'sum(gpu:paid_cards:sum{{nodepool="{name}"}})': {"{}": 1.0},
        f'count(gpu:idle_usd_per_hour:sum{{nodepool="{name}"}}) or vector(0)': {"{}": 0.0},
        f'count(gpu:idle_usd_per_hour:sum{{nodepool="{counted}"}} > 0) or vector(0)': {"{}": 1.0},
    }
    assert Rules.of(CLAIMED, tmp_path / "rules.yaml").fault_of(series, _LONG - 1, expected) == ""


def test_no_alert_of_a_pool_of_claims_waits_for_what_nothing_measures() -> None:
    def of(pool: str) -> set[str]:
        return {alert.name for alert in alerts(CLAIMED) if alert.labels.get("pool") == pool}

    assert of("claimed") == {"StaticPoolShort"}
    assert of("serve") == {"GpuPluginShort", "GpuPoolNearCeiling", "GpuUseLow"}


def test_karpenter_is_not_asked_about_training_nodes_that_eks_makes() -> None:
    made_by_eks = some_settings(
        pools=[a_pool(), a_static_pool(provisioner="managed-node-group")], feature_gates={"static_capacity": False}
    )
    assert "TrainingNodeDisrupted" not in {alert.name for alert in alerts(made_by_eks)}
    assert "TrainingNodeDisrupted" in {alert.name for alert in alerts(CLAIMED)}
