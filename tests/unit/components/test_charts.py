"""Every chart of the platform: pinned, whole or not at all, and after what it reads."""

from __future__ import annotations

import pytest

from gpuplatform.render.stack import render
from gpuplatform.standard.versions import CHARTS
from tests.builders import STACKS, some_settings, stack_settings
from tests.recorder import Recording, Registered, record
from tests.unit.components.builders import device_plugins, full_settings, gpu_operator, karpenter


def releases(stack: str) -> list[Registered]:
    settings = stack_settings(stack)

    def program() -> None:
        karpenter("ka", settings)

    def operator() -> None:
        gpu_operator("op", settings)

    def plugins() -> None:
        device_plugins("dp", settings)

    return [each for part in (program, operator, plugins) for each in record(part).of("Release")]


@pytest.mark.parametrize("stack", STACKS)
def test_every_chart_is_pinned_in_its_namespace_and_rolled_back_as_a_whole(stack: str) -> None:
    found = releases(stack)
    assert {str(each.inputs["name"]) for each in found} >= {"karpenter-crd", "karpenter", "gpu-operator"}
    for each in found:
        pinned = CHARTS[str(each.inputs["name"])]
        assert each.inputs["version"] == pinned.pin.version
        assert each.inputs["namespace"] == pinned.namespace
        assert each.inputs["atomic"] is True


def test_a_chart_comes_from_its_registry_or_its_repository() -> None:
    for each in releases("prod"):
        pinned = CHARTS[str(each.inputs["name"])]
        if pinned.repository.startswith("oci://"):
            assert each.inputs["chart"] == pinned.repository
            assert "repositoryOpts" not in each.inputs
        else:
            assert each.inputs["chart"] == pinned.name
            assert each.at("repositoryOpts", "repo") == pinned.repository


def operator() -> Recording:
    settings = full_settings()
    return record(lambda: gpu_operator("op", settings))


def test_the_operator_starts_after_its_namespace_and_the_configurations_that_it_reads() -> None:
    recording = operator()
    (namespace,), configs = recording.of("Namespace"), recording.of("ConfigMap")
    assert len(configs) == len(render(full_settings()).operator_configs)
    (chart,) = recording.of("Release")
    assert {namespace.urn, *(each.urn for each in configs)} <= chart.depends_on
    assert all(namespace.urn in each.depends_on for each in configs)


def test_a_stack_without_efa_and_neuron_installs_no_further_device_plugin() -> None:
    plain = some_settings()
    assert record(lambda: device_plugins("dp", plain)).of("Release") == []
    full = full_settings()
    assert len(record(lambda: device_plugins("dp", full)).of("Release")) == 2
