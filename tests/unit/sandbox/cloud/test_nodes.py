"""The documents of a managed node group's nodes."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from gpuplatform.catalog.instance_types import instance_type
from sandbox.cloud.nodes import NODE_GROUP, node_documents, zones_of_given_subnets
from sandbox.cloud.store import Entry, Properties
from sandbox.errors import RefusedError

ZONES = ["us-east-1a", "us-east-1b"]


def a_group(arn: str = "arn:aws:eks:one", **changed: Any) -> Entry:
    inputs: Properties = {
        "nodeGroupName": "system",
        "instanceTypes": ["m7i.large", "m6i.large"],
        "scalingConfig": {"desiredSize": 3, "minSize": 3, "maxSize": 4},
        "labels": {"node-role": "system"},
        "taints": [{"key": "CriticalAddonsOnly", "value": "true", "effect": "NO_SCHEDULE"}],
        **changed,
    }
    return Entry("urn", NODE_GROUP, "c:system", inputs, {**inputs, "arn": arn})


def nodes_of(group: Entry) -> list[Any]:
    return cast("list[Any]", node_documents(group, ZONES, "us-east-1"))


def names_of(group: Entry) -> set[str]:
    return {node["metadata"]["name"] for node in nodes_of(group)}


def test_a_group_has_as_many_nodes_as_it_desires_spread_over_the_zones_of_its_subnets() -> None:
    zones = [node["metadata"]["labels"]["topology.kubernetes.io/zone"] for node in nodes_of(a_group())]
    assert zones == ["us-east-1a", "us-east-1b", "us-east-1a"]


def test_a_node_wears_the_labels_and_taints_of_its_group_and_those_of_eks() -> None:
    node = nodes_of(a_group())[0]
    labels = node["metadata"]["labels"]
    assert labels["node-role"] == "system"
    assert labels["eks.amazonaws.com/nodegroup"] == "system"
    assert labels["node.kubernetes.io/instance-type"] == "m7i.large"
    assert labels["kubernetes.io/arch"] == "amd64"
    assert node["spec"]["taints"] == [{"key": "CriticalAddonsOnly", "value": "true", "effect": "NoSchedule"}]
    assert node["metadata"]["annotations"] == {"kwok.x-k8s.io/node": "fake"}


def test_a_group_without_labels_and_taints_has_bare_nodes() -> None:
    node = nodes_of(a_group(labels=None, taints=None))[0]
    assert node["spec"]["taints"] == []
    assert "node-role" not in node["metadata"]["labels"]


def test_a_node_leaves_to_pods_what_the_catalog_says_of_its_type() -> None:
    machine = instance_type("m7i.large")
    assert machine is not None
    allocatable = nodes_of(a_group())[0]["status"]["allocatable"]
    assert allocatable == {
        "cpu": f"{machine.allocatable_cpu_millis}m",
        "memory": f"{machine.allocatable_memory_mib}Mi",
        "pods": str(machine.max_pods),
    }


def test_a_change_of_labels_or_size_keeps_the_machines_and_a_new_template_or_group_makes_others() -> None:
    before = names_of(a_group())
    assert names_of(a_group(labels={"other": "label"})) == before
    assert names_of(a_group(scalingConfig={"desiredSize": 4})) > before
    assert not names_of(a_group(launchTemplate={"id": "lt-1", "version": "2"})) & before
    assert not names_of(a_group("arn:aws:eks:two")) & before


def test_a_type_that_the_catalog_does_not_know_is_refused() -> None:
    with pytest.raises(RefusedError, match=r"no instance type z9\.mega"):
        nodes_of(a_group(instanceTypes=["z9.mega"]))


def test_the_zone_of_a_subnet_that_was_there_before_is_the_settings(tmp_path: Path) -> None:
    file = tmp_path / "Pulumi.any.yaml"
    file.write_text(
        "config:\n  gpu-platform:settings:\n    network:\n      existing:\n        vpc_id: vpc-00000001\n"
        "        private_subnets:\n          - {id: subnet-00000001, zone: us-east-1a}\n"
        "          - {id: subnet-00000002, zone: {name: us-east-1b, id: use1-az1}}\n",
        encoding="utf-8",
    )
    assert zones_of_given_subnets(file) == {"subnet-00000001": "us-east-1a", "subnet-00000002": "us-east-1b"}
