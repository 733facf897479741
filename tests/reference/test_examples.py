"""Each example workload fits the stack and the pool that it names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import cast

import pytest
import yaml

from gpuplatform.accept import check_file
from gpuplatform.plan.node_pools import PlannedNodePool, plan
from gpuplatform.render.block import block
from gpuplatform.settings.settings import Settings
from gpuplatform.settings.source import Plain
from gpuplatform.settings.tenants import Namespace, PodSecurity
from gpuplatform.standard import keys, resources
from gpuplatform.standard.labels import Purpose

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted((ROOT / "examples" / "workloads").glob("*.yaml"))
FIRST_LINE = re.compile(r"^# pool: (?P<pool>[a-z0-9-]+) \(stack (?P<stack>[a-z0-9-]+)\)$")

Map = Mapping[str, Plain]

each_example = pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)


def settings_of(path: Path) -> Settings:
    named = FIRST_LINE.match(path.read_text().splitlines()[0])
    assert named, f"{path.name}: the first line says '# pool: NAME (stack NAME)'"
    settings = check_file(ROOT / f"Pulumi.{named['stack']}.yaml").settings
    assert settings is not None
    return settings


def nodepools(path: Path) -> list[PlannedNodePool]:
    settings = settings_of(path)
    named = FIRST_LINE.match(path.read_text().splitlines()[0])
    assert named
    node_pools = [
        node_pool for node_pool in plan(settings.pools, settings.network.zones) if node_pool.pool.name == named["pool"]
    ]
    assert node_pools, f"{path.name}: the stack has no pool {named['pool']!r}"
    return node_pools


def documents(path: Path) -> list[Map]:
    return [cast(Map, document) for document in yaml.safe_load_all(path.read_text())]


def workload(path: Path) -> Map:
    (document,) = [document for document in documents(path) if document["kind"] in {"Deployment", "StatefulSet", "Job"}]
    return document


def at(value: Plain, *keys_: str) -> Map:
    for key in keys_:
        value = cast(Map, value)[key]
    return cast(Map, value)


def pod(path: Path) -> Map:
    return at(cast(Plain, workload(path)), "spec", "template", "spec")


def containers(path: Path) -> Iterator[Map]:
    yield from cast(list[Map], pod(path)["containers"])


def namespace_of(path: Path) -> Namespace:
    name = at(cast(Plain, workload(path)), "metadata")["namespace"]
    of_stack = [namespace for tenant in settings_of(path).tenants for namespace in tenant.namespaces]
    namespaces = [namespace for namespace in of_stack if namespace.name == name]
    assert namespaces, f"the stack has no namespace {name!r}"
    return namespaces[0]


def test_there_is_an_example_of_each_way_to_use_a_card() -> None:
    assert {nodepools(path)[0].pool.name for path in FILES} >= {"infer", "worker", "dev", "train"}


@each_example
def test_an_example_lands_on_the_pool_that_it_names(path: Path) -> None:
    pasted = block(nodepools(path)[0].pool)
    spec = pod(path)
    assert spec["nodeSelector"] == pasted.node_selector
    assert spec["tolerations"] == list(pasted.tolerations)
    assert spec["runtimeClassName"] == resources.RUNTIME_CLASS


@each_example
def test_an_example_asks_for_the_pools_resource_with_requests_equal_to_limits(path: Path) -> None:
    pasted = block(nodepools(path)[0].pool).resources
    largest = max(
        instance_type.cards * node_pool.units_per_card
        for node_pool in nodepools(path)
        for instance_type in node_pool.types
    )
    for container in containers(path):
        requests, limits = at(container["resources"], "requests"), at(container["resources"], "limits")
        cards = {key: value for key, value in requests.items() if resources.is_card_resource(key)}
        assert cards.keys() == pasted.keys()
        assert cards == {key: value for key, value in limits.items() if resources.is_card_resource(key)}
        assert 1 <= int(str(*cards.values())) <= largest
        assert requests[resources.MEMORY] == limits[resources.MEMORY]


@each_example
def test_as_many_pods_fit_a_node_as_it_has_units(path: Path) -> None:
    """Otherwise host memory or CPU would run out first, and cards would be idle."""
    for container in containers(path):
        requests = at(container["resources"], "requests")
        units = next(int(str(value)) for key, value in requests.items() if resources.is_card_resource(key))
        for planned in nodepools(path):
            for instance_type in planned.types:
                pods = instance_type.cards * planned.units_per_card // units
                assert pods * cpu_millis(str(requests[resources.CPU])) < instance_type.allocatable_cpu_millis, (
                    instance_type.name
                )
                assert pods * memory_mib(str(requests[resources.MEMORY])) < instance_type.allocatable_memory_mib, (
                    instance_type.name
                )


@each_example
def test_every_object_stands_in_one_namespace_of_the_stack(path: Path) -> None:
    assert {str(at(cast(Plain, document), "metadata")["namespace"]) for document in documents(path)} == {
        namespace_of(path).name
    }


@each_example
def test_the_namespace_allows_the_priority_the_account_and_the_cards(path: Path) -> None:
    namespace, pod_spec = namespace_of(path), pod(path)
    assert pod_spec["priorityClassName"] in namespace.priorities
    assert pod_spec["serviceAccountName"] == namespace.service_account
    assert pod_spec["automountServiceAccountToken"] is False
    spec = at(cast(Plain, workload(path)), "spec")
    pods = int(str(spec.get("parallelism", spec.get("replicas", 1))))
    for container in containers(path):
        for resource, amount in at(container["resources"], "requests").items():
            if resources.is_card_resource(resource):
                assert pods * int(str(amount)) <= namespace.quota[resource]


@each_example
def test_images_are_pinned(path: Path) -> None:
    for container in containers(path):
        _, colon, tag = str(container["image"]).rpartition("/")[2].partition(":")
        assert colon, container["image"]
        assert tag, container["image"]
        assert not tag.endswith("latest"), container["image"]


@each_example
def test_pods_keep_the_restricted_level_of_pod_security(path: Path) -> None:
    assert namespace_of(path).pod_security in {PodSecurity.BASELINE, PodSecurity.RESTRICTED}
    assert at(pod(path)["securityContext"])["runAsNonRoot"] is True
    assert at(pod(path)["securityContext"], "seccompProfile")["type"] == "RuntimeDefault"
    for container in containers(path):
        security = at(container["securityContext"])
        assert security["allowPrivilegeEscalation"] is False
        assert at(security["capabilities"])["drop"] == ["ALL"]
    kinds = {key for volume in cast(list[Map], pod(path).get("volumes", [])) for key in volume}
    assert "hostPath" not in kinds


def for_purpose(purpose: Purpose) -> list[Path]:
    examples = [path for path in FILES if nodepools(path)[0].pool.purpose is purpose]
    assert examples
    return examples


def test_training_is_not_disturbed_and_has_time_to_save() -> None:
    for path in for_purpose(Purpose.TRAIN):
        template = at(cast(Plain, workload(path)), "spec", "template")
        assert at(template["metadata"], "annotations")[keys.DO_NOT_DISRUPT] == "true", path
        assert int(str(pod(path)["terminationGracePeriodSeconds"])) >= 120, path


def test_inference_is_spread_and_keeps_a_replica() -> None:
    servers = [path for path in for_purpose(Purpose.INFER) if workload(path)["kind"] == "Deployment"]
    assert servers
    for path in servers:
        spread = cast(list[Map], pod(path)["topologySpreadConstraints"])
        assert {str(constraint["topologyKey"]) for constraint in spread} == {keys.HOSTNAME, keys.ZONE}
        (budget,) = [document for document in documents(path) if document["kind"] == "PodDisruptionBudget"]
        labels = at(cast(Plain, workload(path)), "spec", "template", "metadata", "labels")
        assert at(cast(Plain, budget), "spec", "selector", "matchLabels") == labels


def test_a_distributed_job_is_indexed_and_its_first_pod_is_found_by_name() -> None:
    (path,) = [example for example in FILES if "subdomain" in pod(example)]
    spec = at(cast(Plain, workload(path)), "spec")
    assert spec["completionMode"] == "Indexed"
    (service,) = [document for document in documents(path) if document["kind"] == "Service"]
    assert at(cast(Plain, service), "metadata")["name"] == pod(path)["subdomain"]
    assert at(cast(Plain, service), "spec")["clusterIP"] == "None"
    assert at(cast(Plain, service), "spec", "selector") == at(spec["template"], "metadata", "labels")
    first = f"{at(cast(Plain, workload(path)), 'metadata')['name']}-0.{pod(path)['subdomain']}"
    assert f"--master-addr={first} " in str([container["args"] for container in containers(path)])


def cpu_millis(text: str) -> int:
    return int(text.removesuffix("m")) if text.endswith("m") else int(text) * 1000


def memory_mib(text: str) -> int:
    assert text.endswith("Gi"), text
    return int(text.removesuffix("Gi")) * 1024
