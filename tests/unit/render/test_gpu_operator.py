import pytest

from gpuplatform.render.stack import render
from gpuplatform.settings.source import Plain
from tests.builders import STACKS, a_card, a_pool, a_static_pool, some_settings, stack_settings
from tests.unit.render.reading import at, list_at, mapping_at, of_kind

PARTED: list[Plain] = [a_pool(taints=[{"key": "node-cards", "value": "eight"}]), a_static_pool()]
VALUES = render(some_settings(pools=PARTED)).gpu_operator_values


# Correction 10: Amazon Linux 2023's NVIDIA image holds driver and toolkit.
def test_the_operator_installs_neither_driver_nor_toolkit() -> None:
    assert at(VALUES, "driver", "enabled") is False
    assert at(VALUES, "toolkit", "enabled") is False


# An extra taint needs both lists: without the second no operand ever lands, and nothing says so.
def test_operands_and_feature_discovery_tolerate_every_taint_of_every_pool() -> None:
    tolerated = [
        {"key": key, "operator": "Exists", "effect": "NoSchedule"}
        for key in ("nvidia.com/gpu", "dedicated", "gpu.pool", "node-cards", "gpu.role")
    ]
    assert at(VALUES, "daemonsets", "tolerations") == tolerated
    assert at(VALUES, "node-feature-discovery", "worker", "tolerations") == tolerated


def test_operands_and_feature_discovery_tolerate_graviton() -> None:
    graviton = a_pool(cards=[a_card("T4G-16GB", ["g5g.xlarge"])])
    values = render(some_settings(pools=[graviton])).gpu_operator_values
    for path in (("daemonsets", "tolerations"), ("node-feature-discovery", "worker", "tolerations")):
        assert {"key": "kubernetes.io/arch", "operator": "Exists", "effect": "NoSchedule"} in list_at(values, *path)


@pytest.mark.parametrize("stack", STACKS)
def test_every_taint_of_an_environments_gpu_nodes_is_tolerated(stack: str) -> None:
    rendered = render(stack_settings(stack))
    keys = {toleration["key"] for toleration in list_at(rendered.gpu_operator_values, "daemonsets", "tolerations")}
    worn = {
        str(taint["key"])
        for document in of_kind(rendered.documents, "NodePool").values()
        if "metadata" in mapping_at(document, "spec", "template")
        for taint in list_at(document, "spec", "template", "spec", "taints")
    }
    assert worn <= keys


# Correction 23: a label of ours is on every GPU node, whoever made it.
def test_feature_discovery_looks_for_our_own_label_and_not_karpenters() -> None:
    terms = list_at(
        VALUES,
        "node-feature-discovery",
        "worker",
        "affinity",
        "nodeAffinity",
        "requiredDuringSchedulingIgnoredDuringExecution",
        "nodeSelectorTerms",
    )
    assert terms == [{"matchExpressions": [{"key": "gpu.vendor", "operator": "Exists"}]}]


# Correction 11: without a default a node that carries no label shares nothing.
def test_the_device_plugins_configuration_has_no_default() -> None:
    assert at(VALUES, "devicePlugin", "config") == {"create": False, "name": "device-plugin-sharing", "default": ""}


def test_slices_have_resources_of_their_own_and_the_layouts_are_ours() -> None:
    assert at(VALUES, "mig", "strategy") == "mixed"
    assert at(VALUES, "migManager", "config") == {"create": False, "name": "mig-layouts", "default": "all-disabled"}


@pytest.mark.parametrize("stack", STACKS)
def test_the_configmaps_that_the_values_name_are_rendered(stack: str) -> None:
    rendered = render(stack_settings(stack))
    maps = of_kind(rendered.documents, "ConfigMap")
    for path in (("devicePlugin", "config", "name"), ("migManager", "config", "name")):
        name = str(at(rendered.gpu_operator_values, *path))
        assert at(maps[name], "metadata", "namespace") == "gpu-operator"


def test_one_service_account_is_made_and_both_parts_of_feature_discovery_use_it() -> None:
    worker, master = (
        mapping_at(VALUES, "node-feature-discovery", part, "serviceAccount") for part in ("worker", "master")
    )
    assert (worker["create"], master["create"]) == (False, True)
    assert worker["name"] == master["name"]


def test_controllers_run_on_the_system_nodes() -> None:
    system = [{"key": "CriticalAddonsOnly", "operator": "Exists"}]
    for path in (("operator",), ("node-feature-discovery", "master"), ("node-feature-discovery", "gc")):
        assert at(VALUES, *path, "tolerations") == system


def test_the_operators_namespace_lets_its_operands_at_the_host() -> None:
    namespace = render(some_settings()).operator_namespace
    assert at(namespace, "metadata", "name") == "gpu-operator"
    assert at(namespace, "metadata", "labels", "pod-security.kubernetes.io/enforce") == "privileged"
