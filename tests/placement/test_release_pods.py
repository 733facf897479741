"""The pods of releases on nodes of managed node groups: the real scheduler places them, or its message says why not."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from gpuplatform.accept import check_file
from gpuplatform.render.document import Document, kubernetes_object, name_of
from gpuplatform.render.stack import render
from gpuplatform.standard.sheets.sheet import sheets
from gpuplatform.standard.taints import system_labels
from gpuplatform.standard.versions import CHARTS
from sandbox.cloud import rollout
from sandbox.cloud.nodes import NODE_GROUP, NodeGroups
from sandbox.cloud.references import at_path
from sandbox.cloud.release_pods import ReleasePods
from sandbox.cloud.store import Entry, Properties, Store
from sandbox.cloud.workloads import RELEASE, Release
from sandbox.control_plane.api import Api
from sandbox.control_plane.control_plane import ControlPlane
from sandbox.errors import RefusedError
from tests.builders import ROOT
from tests.kubectl import kubectl

pytestmark = [pytest.mark.placement, pytest.mark.xdist_group("placement")]

STACK_FILE = ROOT / "Pulumi.staging.yaml"
ZONES = ("ap-northeast-2a", "ap-northeast-2b", "ap-northeast-2c")
STACK = "kube-prometheus-stack"
GROUP: Properties = {
    "nodeGroupName": "system-1",
    "instanceTypes": ["m7i.large"],
    "subnetIds": [f"subnet-{zone}" for zone in ZONES],
    "scalingConfig": {"desiredSize": 3, "minSize": 3, "maxSize": 4},
    "labels": cast("Properties", system_labels()),
    "taints": [{"key": "CriticalAddonsOnly", "value": "true", "effect": "NO_SCHEDULE"}],
}


def a_group(**changed: Any) -> Entry:
    inputs: Properties = {**GROUP, **changed}
    return Entry("urn", NODE_GROUP, f"c:{inputs['nodeGroupName']}", inputs, {**inputs, "arn": inputs["nodeGroupName"]})


def values_of(chart: str) -> Any:
    settings = check_file(STACK_FILE).settings
    assert settings is not None
    return copy.deepcopy(render(settings).values[chart])


def a_release(chart: str, change: Callable[[Any], object] = lambda _: None) -> Release:
    values = values_of(chart)
    change(values)
    return Release(sheets()[chart], values, CHARTS[chart].namespace)


@pytest.fixture
def api(control: ControlPlane) -> Api:
    return control.api


@pytest.fixture
def groups(api: Api, tmp_path: Path) -> NodeGroups:
    world = Store(tmp_path / "world.db")
    for zone in ZONES:
        subnet = Entry(zone, "aws:ec2/subnet:Subnet", f"subnet-{zone}", {"availabilityZone": zone}, {})
        world.create(subnet, set(), set())
    return NodeGroups(world, api, "ap-northeast-2", STACK_FILE)


def monitoring(enforced: str) -> Document:
    """The namespace of the stack's monitoring, with a standard of pod security."""
    return kubernetes_object("v1", "Namespace", "monitoring", labels={"pod-security.kubernetes.io/enforce": enforced})


@pytest.fixture
def system(groups: NodeGroups, control: ControlPlane) -> Iterator[Entry]:
    """The system group of the staging stack, and the namespace of its monitoring."""
    group = a_group()
    groups.make(group)
    control.api.put(monitoring("privileged"))
    yield group
    groups.remove(group)


@pytest.fixture
def pods(api: Api, monkeypatch: pytest.MonkeyPatch) -> ReleasePods:
    """Release pods with a short limit: the nodes already exist."""
    monkeypatch.setattr(rollout, "_REFUSED_SECONDS", 3.0)
    return ReleasePods(api)


def left_of(control: ControlPlane, chart: str) -> str:
    kinds = "deployments,daemonsets,statefulsets,jobs,pods,serviceaccounts,persistentvolumeclaims"
    return kubectl(control)("get", kinds, "--all-namespaces", f"--selector={RELEASE}={chart}", "-o", "name").out


def nodes_of(control: ControlPlane, chart: str) -> set[str]:
    pods = control.api.items("v1", "Pod", labels={RELEASE: chart})
    return {str(node) for pod in pods for node in at_path(pod, "spec.nodeName")}


def names_of(control: ControlPlane, group: Entry) -> set[str]:
    labels = {"eks.amazonaws.com/nodegroup": str(group.outputs["nodeGroupName"])}
    return {name_of(node) for node in control.api.items("v1", "Node", labels=labels)}


def without_storage(values: Any) -> None:
    """Remove Prometheus's volume: there is no EBS driver here."""
    del values["prometheus"]["prometheusSpec"]["storageSpec"]


def test_a_release_stands_on_the_tainted_nodes_of_its_stack_and_goes_without_a_trace(
    control: ControlPlane, pods: ReleasePods, system: Entry
) -> None:
    release = a_release(STACK, without_storage)
    pods.install(release, None)
    assert nodes_of(control, STACK) == names_of(control, system)  # its DaemonSet is on each
    for kind in ("deployment", "daemonset", "statefulset"):
        assert f"{kind}.apps/" in left_of(control, STACK)
    assert "job" not in left_of(control, STACK), "hooks go when they have done their work"
    pods.uninstall(release)
    assert left_of(control, STACK) == ""


def test_a_hook_without_its_toleration_is_refused_in_the_schedulers_words_and_nothing_of_the_release_is_left(
    control: ControlPlane, pods: ReleasePods, system: Entry
) -> None:
    def without(values: Any) -> None:
        without_storage(values)
        del values["prometheusOperator"]["admissionWebhooks"]["patch"]["tolerations"]

    with pytest.raises(RefusedError) as refused:
        pods.install(a_release(STACK, without), None)
    words = str(refused.value)
    assert "the pre-install hook" in words
    assert "pod monitoring/kube-prometheus-stack-admission-create-" in words
    assert "0/3 nodes are available: 3 node(s) had untolerated taint(s)" in words
    assert left_of(control, STACK) == ""


def test_a_claim_without_a_class_is_said_although_helm_would_not_wait_for_it(
    control: ControlPlane, pods: ReleasePods, system: Entry
) -> None:
    def without_class(values: Any) -> None:
        values["prometheus"]["prometheusSpec"]["storageSpec"]["volumeClaimTemplate"]["spec"].pop(
            "storageClassName", None
        )

    with pytest.raises(
        RefusedError, match="no persistent volumes available for this claim and no storage class is set"
    ):
        pods.install(a_release(STACK, without_class), None)
    assert left_of(control, STACK) == ""


def test_a_privileged_pod_needs_the_leave_of_its_namespace(
    control: ControlPlane, pods: ReleasePods, system: Entry
) -> None:
    control.api.put(monitoring("baseline"))
    with pytest.raises(RefusedError, match=r"node-exporter has no pods: .*violates PodSecurity"):
        pods.install(a_release(STACK, without_storage), None)


def test_an_upgrade_that_has_no_place_leaves_what_stood_before(
    control: ControlPlane, pods: ReleasePods, system: Entry
) -> None:
    def lost(values: Any) -> None:
        without_storage(values)
        values["kube-state-metrics"]["tolerations"] = []

    before = a_release(STACK, without_storage)
    pods.install(before, None)
    with pytest.raises(RefusedError, match="pod monitoring/kube-prometheus-stack-kube-state-metrics-"):
        pods.install(a_release(STACK, lost), before)
    pods.install(before, before)
    assert nodes_of(control, STACK) == names_of(control, system)
    pods.uninstall(before)


def test_pods_move_to_a_group_that_takes_anothers_place(
    control: ControlPlane, pods: ReleasePods, groups: NodeGroups, system: Entry
) -> None:
    release = a_release("keda")
    control.api.put(kubernetes_object("v1", "Namespace", release.namespace))
    pods.install(release, None)
    other = a_group(nodeGroupName="system-2", instanceTypes=["m6i.large"])
    groups.make(other)
    groups.remove(system)
    pods.install(release, release)
    assert nodes_of(control, "keda") <= names_of(control, other)
    pods.uninstall(release)
    groups.remove(other)
    groups.make(system)


def test_a_new_version_of_a_group_makes_new_nodes_before_the_old_ones_go(
    control: ControlPlane, groups: NodeGroups, system: Entry
) -> None:
    before = names_of(control, system)
    newer = a_group(launchTemplate={"id": "lt-1", "version": "2"})
    groups.make(newer)
    after = names_of(control, newer)
    assert len(after) == len(before)
    assert not after & before
    groups.make(a_group(launchTemplate=newer.inputs["launchTemplate"], scalingConfig={"desiredSize": 2}))
    assert len(names_of(control, newer)) == 2
