"""The program as a whole: it wires and does not decide, and it runs for every stack of the repository."""

from __future__ import annotations

import ast
import functools
import json
import runpy
from collections import defaultdict
from collections.abc import Mapping
from types import MappingProxyType

import pulumi
import pytest

from gpuplatform.settings import source
from gpuplatform.settings.source import Plain
from gpuplatform.standard.sheets.sheet import sheets
from tests.builders import ROOT, STACKS, merged, stack_file
from tests.examples import sampled
from tests.recorder import OWN_TYPES, Recording, record

MAIN = ROOT / "__main__.py"
TREE = ast.parse(MAIN.read_text(encoding="utf-8"))
MAX_LINES = 120
COMPONENTS = {
    "Admission",
    "Monitoring",
    "Network",
    "Cluster",
    "Karpenter",
    "GpuOperator",
    "DevicePlugins",
    "NodeGroups",
    "NodePools",
    "Queues",
    "Storage",
    "Tenants",
}


def run_program(
    stack: str, published: Mapping[str, Mapping[str, object]] = MappingProxyType({}), **overrides: Plain
) -> Recording:
    """``published`` are the outputs that stacks have had before, by the stack's full name."""
    raw, faults = source.read(stack_file(stack))
    assert isinstance(raw, dict), faults

    def program() -> None:
        pulumi.runtime.set_all_config({source.SETTINGS_KEY: json.dumps(merged(raw, overrides))})
        runpy.run_path(str(MAIN), run_name="__main__")

    return record(program, stack, published)


@functools.cache
def recorded(stack: str) -> Recording:
    """A first run of the stack's program; tests read it and change nothing."""
    return run_program(stack)


def test_every_stack_file_of_the_repository_is_tried_here() -> None:
    assert {path.name for path in ROOT.glob("Pulumi.*.yaml")} == {f"Pulumi.{stack}.yaml" for stack in STACKS}


@pytest.mark.parametrize("stack", sampled(STACKS))
def test_the_program_builds_every_component_once_and_publishes(stack: str) -> None:
    recording = recorded(stack)
    component_types = [
        resource.type.removeprefix(OWN_TYPES) for resource in recording.resources if resource.type.startswith(OWN_TYPES)
    ]
    assert sorted(component_types) == sorted(COMPONENTS)
    assert set(recording.exports) == {"platform", "kubeconfig"}


@pytest.mark.parametrize("stack", sampled(STACKS))
def test_everything_but_providers_belongs_to_a_component(stack: str) -> None:
    recording = recorded(stack)
    own_urns = {resource.urn for resource in recording.resources if resource.type.startswith(OWN_TYPES)}
    parentless = [
        resource
        for resource in recording.resources
        if resource.urn not in own_urns and resource.request.parent not in own_urns
    ]
    assert sorted(registered.type for registered in parentless) == ["pulumi:providers:aws", "pulumi:providers:eks"]


def test_what_teams_need_to_the_last_goes_with_the_cluster() -> None:
    recording = recorded("prod")
    (provider,) = recording.of("pulumi:providers:kubernetes")
    staying = [resource for resource in recording.resources if resource.request.deletedWith]
    assert {resource.request.deletedWith for resource in staying} == {provider.urn}
    assert {str(resource.inputs.get("name")) for resource in staying if resource in recording.of("Release")} == {
        "kueue",
        "keda",
    }
    spaces = {
        str(registered.at("metadata", "name")) for registered in staying if registered in recording.of("Namespace")
    }
    assert spaces == {"kueue-system", "keda"}
    assert len(staying) == 4


def test_the_account_of_the_settings_is_the_only_one_that_is_touched() -> None:
    (provider,) = recorded("prod").of("pulumi:providers:aws")
    assert json.loads(str(provider.inputs["allowedAccountIds"])) == ["111122223333"]
    assert provider.inputs["region"] == "us-east-1"
    tags = json.loads(str(provider.inputs["defaultTags"]))["tags"]
    assert tags == {"environment": "prod", "managed-by": "pulumi", "owner": "ml-platform", "project": "gpu-platform"}


def test_a_deferred_stack_stops_at_the_cluster() -> None:
    recording = run_program("prod", cluster={"contents": "deferred"})
    components = {
        resource.type.removeprefix(OWN_TYPES) for resource in recording.resources if resource.type.startswith(OWN_TYPES)
    }
    assert components == {"Network", "Cluster"}
    assert not [resource for resource in recording.resources if resource.type.startswith("kubernetes:")]


def test_pools_wait_for_the_autoscaler_and_the_operator() -> None:
    recording = recorded("dev")
    charts = {recording.named(name, "Release").urn for name in ("karpenter-controller", "gpu-operator-chart")}
    (pools,) = recording.of("NodePools")
    assert charts <= pools.depends_on


def before(recording: Recording, urn: str) -> set[str]:
    """Every resource that has to be ready before this one. A component is ready when all its resources are."""
    resources = {registered.urn: registered for registered in recording.resources}
    within: dict[str, set[str]] = defaultdict(set)
    for resource in recording.resources:
        within[resource.request.parent].add(resource.urn)
    dependencies: set[str] = set()
    left = {urn}
    while left:
        resource = resources.get(left.pop())
        if resource is not None:
            needed = {*resource.depends_on, resource.request.parent}.union(
                *(within[other] for other in resource.depends_on)
            )
            left |= needed - dependencies
            dependencies |= needed
    return dependencies


def test_an_object_of_a_kind_that_a_chart_defines_is_made_after_the_chart() -> None:
    recording = recorded("prod")
    releases = {str(registered.inputs["name"]): registered.urn for registered in recording.of("Release")}
    definers = {group: chart for chart in releases for group in sheets()[chart].definition_groups}
    custom = {
        resource.urn: definers[group]
        for resource in recording.resources
        if (group := resource.type.removeprefix("kubernetes:").partition("/")[0]) in definers
    }
    assert set(custom.values()) == {"karpenter-crd", "kueue", "prometheus-operator-crds"}
    assert [urn for urn, chart in custom.items() if releases[chart] not in before(recording, urn)] == []


def test_volumes_have_a_class_once_the_driver_is_there_and_before_anybody_claims() -> None:
    recording = recorded("dev")
    (storage,), (monitoring,) = recording.of("Storage"), recording.of("Monitoring")
    (volumes,) = recording.of("StorageClass")
    assert recording.named("cluster-aws-ebs-csi-driver").urn in storage.depends_on
    assert volumes.request.parent == storage.urn
    assert volumes.urn in monitoring.depends_on


def test_the_program_is_short_and_decides_only_whether_contents_are_deferred() -> None:
    assert len(MAIN.read_text(encoding="utf-8").splitlines()) <= MAX_LINES
    branches = [
        node for node in ast.walk(TREE) if isinstance(node, ast.If | ast.IfExp | ast.Match | ast.While | ast.Try)
    ]
    (deferred,) = branches
    assert isinstance(deferred, ast.If)
    assert ast.unparse(deferred.test) == "stack_settings.cluster.contents is Contents.APPLIED"


def test_the_program_names_no_resource_class_of_an_sdk() -> None:
    imported = {
        module
        for node in ast.walk(TREE)
        for module in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert not [module for module in imported if module.startswith("pulumi_")]
    used = {
        node.attr
        for node in ast.walk(TREE)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "pulumi"
    }
    assert used == {"ResourceOptions"}
