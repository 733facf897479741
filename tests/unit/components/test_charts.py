"""Every chart of the platform: pinned, installed completely or not at all, and after the objects that it reads."""

from __future__ import annotations

import pytest

from gpuplatform.render.stack import render
from gpuplatform.standard.versions import CHARTS
from tests.builders import STACKS, some_settings, stack_settings
from tests.examples import sampled
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

    return [registered for part in (program, operator, plugins) for registered in record(part).of("Release")]


@pytest.mark.parametrize("stack", sampled(STACKS))
def test_every_chart_is_pinned_in_its_namespace_and_rolled_back_as_a_whole(stack: str) -> None:
    charts = releases(stack)
    assert {str(release.inputs["name"]) for release in charts} >= {"karpenter-crd", "karpenter", "gpu-operator"}
    for registered in charts:
        pinned = CHARTS[str(registered.inputs["name"])]
        assert registered.inputs["version"] == pinned.pin.version
        assert registered.inputs["namespace"] == pinned.namespace
        assert registered.inputs["atomic"] is True


def test_a_chart_comes_from_its_registry_or_its_repository() -> None:
    for release in releases("prod"):
        pinned = CHARTS[str(release.inputs["name"])]
        if pinned.repository.startswith("oci://"):
            assert release.inputs["chart"] == pinned.repository
            assert "repositoryOpts" not in release.inputs
        else:
            assert release.inputs["chart"] == pinned.name
            assert release.at("repositoryOpts", "repo") == pinned.repository


def operator() -> Recording:
    settings = full_settings()
    return record(lambda: gpu_operator("op", settings))


def test_the_operator_starts_after_its_namespace_and_the_configurations_that_it_reads() -> None:
    recording = operator()
    (namespace,), configs = recording.of("Namespace"), recording.of("ConfigMap")
    assert len(configs) == len(render(full_settings()).operator_configs)
    (chart,) = recording.of("Release")
    assert {namespace.urn, *(config.urn for config in configs)} <= chart.depends_on
    assert all(namespace.urn in config.depends_on for config in configs)


def test_a_stack_without_efa_and_neuron_installs_no_further_device_plugin() -> None:
    plain = some_settings()
    assert record(lambda: device_plugins("dp", plain)).of("Release") == []
    full = full_settings()
    assert len(record(lambda: device_plugins("dp", full)).of("Release")) == 2
