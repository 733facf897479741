"""The objects that the sandbox makes from a chart's fact sheet and a release's values."""

from __future__ import annotations

from typing import Any, cast

import pytest

from gpuplatform.standard.sheets.sheet import Kind, Maker, MeantFor, PodSecurityLevel, Sheet, sheets
from sandbox.cloud.addons import ADDON, release_of
from sandbox.cloud.store import Entry, Properties
from sandbox.cloud.workloads import RELEASE, Release

FACTS: dict[str, Any] = {"kind": "Deployment", "name": "controller", "place": "system", "service_account": "runner"}
TOLERATION: Properties = {"key": "CriticalAddonsOnly", "operator": "Exists"}
PATHS = {"tolerations": "tolerations", "node_selector": "nodeSelector", "storage": "storage"}


def a_release(*workloads: dict[str, Any], **values: Any) -> Release:
    made = [{**FACTS, "paths": PATHS, **workload} for workload in workloads or ({},)]
    sheet = Sheet.model_validate({"name": "chart", "version": "1", "source": "a test", "workloads": made})
    return Release(sheet, values, "own")


def the_workload(release: Release) -> Any:
    (part,) = [*release.parts(), *release.hooks()]
    return cast("Any", release.workload(part))


def pod_of(release: Release) -> Any:
    return the_workload(release)["spec"]["template"]["spec"]


def test_where_a_pod_may_stand_is_what_the_values_say() -> None:
    pod = pod_of(a_release(tolerations=[TOLERATION], nodeSelector={"node-role": "system"}))
    assert pod["tolerations"] == [TOLERATION]
    assert pod["nodeSelector"] == {"node-role": "system"}
    assert pod["serviceAccountName"] == "runner"
    assert pod_of(a_release())["tolerations"] == []


def test_everything_of_a_release_carries_its_name_and_is_in_its_namespace() -> None:
    made = the_workload(a_release())
    assert made["metadata"] == {"name": "controller", "namespace": "own", "labels": {RELEASE: "chart"}}
    assert made["spec"]["template"]["metadata"]["labels"][RELEASE] == "chart"


@pytest.mark.parametrize("kind", [Kind.DEPLOYMENT, Kind.STATEFUL_SET, Kind.DAEMON_SET])
def test_a_workload_selects_its_own_pods_and_no_others(kind: Kind) -> None:
    spec = the_workload(a_release({"kind": kind.value}))["spec"]
    selected = spec["selector"]["matchLabels"]
    assert selected.items() <= spec["template"]["metadata"]["labels"].items()
    assert "controller" in selected.values()
    assert ("replicas" in spec) is (kind is not Kind.DAEMON_SET)


def test_a_hook_is_a_job_whose_pod_ends_by_itself() -> None:
    release = a_release({"kind": "Job", "hooks": ["pre-install"]})
    assert release.parts() == []
    assert [hook.fact.name for hook in release.hooks("pre-install")] == ["controller"]
    assert release.hooks("post-install") == []
    job = the_workload(release)
    assert job["apiVersion"] == "batch/v1"
    assert job["spec"]["template"]["spec"]["restartPolicy"] == "Never"
    assert "pod-complete.stage.kwok.x-k8s.io/delay" in job["spec"]["template"]["metadata"]["annotations"]


def test_what_an_operator_makes_is_told_from_what_the_chart_makes() -> None:
    release = a_release({}, {"name": "made-later", "made_by": "operator"})
    assert [part.fact.name for part in release.parts(Maker.CHART)] == ["controller"]
    assert [part.fact.name for part in release.parts(Maker.OPERATOR)] == ["made-later"]
    assert len(release.parts()) == 2


def test_a_claim_is_that_of_the_values_with_its_class_or_without() -> None:
    claim = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    stateful = {"kind": "StatefulSet"}
    made = the_workload(a_release(stateful, storage={"volumeClaimTemplate": {"spec": claim}}))
    assert [volume_claim_template["spec"] for volume_claim_template in made["spec"]["volumeClaimTemplates"]] == [claim]
    assert "volumeClaimTemplates" not in the_workload(a_release(stateful))["spec"]


@pytest.mark.parametrize(
    ("level", "security"),
    [
        (PodSecurityLevel.PRIVILEGED, {"privileged": True}),
        (PodSecurityLevel.BASELINE, {}),
        (None, {}),
    ],
)
def test_pod_security_is_told_what_the_chart_needs(level: PodSecurityLevel | None, security: Properties) -> None:
    (container,) = pod_of(a_release({"pod_security": level}))["containers"]
    assert container["securityContext"] == security


def test_a_pod_that_another_one_makes_for_a_moment_is_not_made() -> None:
    assert a_release({"kind": "Pod", "made_by": "operator", "is_bound": True}).parts() == []


@pytest.mark.parametrize("sheet", sheets().values(), ids=lambda sheet: sheet.name)
def test_every_workload_of_every_sheet_can_be_made(sheet: Sheet) -> None:
    release = Release(sheet, {}, "own")
    for part in [*release.parts(), *release.hooks()]:
        assert release.workload(part)["kind"] == part.fact.kind.value
        assert part.fact.place in MeantFor


def test_an_add_ons_values_are_its_configuration_and_one_without_a_sheet_has_no_pods() -> None:
    def addon(name: str, configuration: str | None) -> Entry:
        inputs: Properties = {"clusterName": "c", "addonName": name, "configurationValues": configuration}
        return Entry("urn", ADDON, f"c:{name}", inputs, inputs)

    release = release_of(addon("keda", '{"tolerations": []}'))
    assert release is not None
    assert (release.values, release.namespace) == ({"tolerations": []}, "kube-system")
    bare = release_of(addon("keda", None))
    assert bare is not None
    assert bare.values == {}
    assert release_of(addon("of-somebody-else", None)) is None
