"""Monitoring's charts: the definitions are a release of their own, created first and destroyed last."""

from __future__ import annotations

import functools

from gpuplatform.standard.versions import CHARTS
from tests.recorder import Recording, record
from tests.unit.components.builders import full_settings, monitoring

DEFINITIONS = "prometheus-operator-crds"


@functools.cache
def made() -> Recording:
    settings = full_settings()
    return record(lambda: monitoring("mo", settings))


def test_the_definitions_are_a_pinned_release_that_upgrades_them_before_the_operator() -> None:
    recording = made()
    definitions = recording.named(f"mo-{DEFINITIONS}", "Release")
    stack = recording.named("mo-kube-prometheus-stack", "Release")
    assert definitions.inputs["chart"] == DEFINITIONS
    assert definitions.inputs["version"] == CHARTS[DEFINITIONS].pin.version
    assert definitions.urn in stack.depends_on
    assert stack.inputs["skipCrds"] is True


def test_definitions_that_stand_already_are_taken_over() -> None:
    releases = made().of("Release")
    takes_over = {str(release.inputs["name"]) for release in releases if release.inputs.get("takeOwnership")}
    assert takes_over == {DEFINITIONS}, "no other release takes what somebody else made"


def test_definitions_outlast_their_release_and_with_them_every_monitor_of_every_team() -> None:
    definitions = made().named(f"mo-{DEFINITIONS}", "Release")
    assert definitions.at("values", "crds", "annotations") == {"helm.sh/resource-policy": "keep"}


def test_every_monitor_and_rule_comes_after_the_definitions_and_goes_before_them() -> None:
    recording = made()
    documents = [*recording.of("ServiceMonitor"), *recording.of("PrometheusRule")]
    releases = {registered.urn for registered in recording.of("Release")}
    assert documents
    assert recording.named(f"mo-{DEFINITIONS}", "Release").urn in releases
    assert all(releases <= document.depends_on for document in documents)
