"""Changes that admission refuses in a running cluster, users who may still make them, and the modes of admission."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import pytest

from gpuplatform.render.document import Document, as_yaml, kind_of
from gpuplatform.settings.settings import AdmissionMode
from gpuplatform.standard.names import BREAK_GLASS_GROUP, KARPENTER_USER
from sandbox.control_plane.control_plane import ControlPlane
from tests.builders import stack_settings
from tests.cluster.admission import admission, whole
from tests.kubectl import Answer, kubectl
from tests.policies.documents import GONE, a_claim, a_claim_template, a_mig_pool, a_namespace, a_pool, but
from tests.policies.pod_documents import a_deployment

pytestmark = [pytest.mark.cluster, pytest.mark.xdist_group("cluster")]

_LABELS = ("spec", "template", "metadata", "labels")
AS_KARPENTER = (f"--as={KARPENTER_USER}", "--as-group=system:masters")
AS_KUBELET = ("--as=system:node:gpu-1", "--as-group=system:nodes", "--as-group=system:masters")
IN_AN_INCIDENT = ("--as=anna", f"--as-group={BREAK_GLASS_GROUP}", "--as-group=system:masters")


def a_node(**labels: str) -> Document:
    standard = {"gpu.vendor": "nvidia", "gpu.model": "L4", "gpu.pool": "infer", **labels}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "gpu-1", "labels": standard}}


def refused(answer: Answer, rule: str) -> bool:
    return not answer.ok and f"{rule}: " in answer.err


@pytest.fixture
def standing(guarded: ControlPlane) -> Iterator[ControlPlane]:
    """The guarded cluster with a pool, a partitioned pool and a node in it."""
    made = [a_pool(), a_mig_pool(), a_node()]
    guarded.api.put_all(made)
    yield guarded
    guarded.api.delete_all(made, 60)


def tried(cluster: ControlPlane, document: Document, *flags: str) -> Answer:
    return kubectl(cluster).apply(as_yaml(document), "--dry-run=server", *flags)


@pytest.mark.parametrize(
    ("key", "value"), [("gpu.mem", "48gb"), ("gpu.pool", "dev"), ("gpu.role", "chief"), ("gpu.vendor", GONE)]
)
def test_a_pools_labels_of_hardware_and_role_never_change(standing: ControlPlane, key: str, value: object) -> None:
    assert refused(tried(standing, but(a_pool(), *_LABELS, key, value)), "gpu-labels-fixed")


def test_a_profile_changes_together_with_its_layout_alone(standing: ControlPlane) -> None:
    other = but(a_mig_pool(), *_LABELS, "gpu.mig.profile", "2g.20gb")
    other = but(other, "spec", "limits", {"nvidia.com/mig-2g.20gb": "48"})
    assert refused(tried(standing, other), "gpu-labels-fixed")

    together = but(other, *_LABELS, "nvidia.com/mig.config", "a100-80gb.2g.20gb-x3")
    assert tried(standing, together).ok, tried(standing, together).err


def test_what_is_no_label_of_a_pool_changes_freely(standing: ControlPlane) -> None:
    changed = but(but(a_pool(), "spec", "weight", 17), *_LABELS, "cost-center", "42")
    assert tried(standing, changed).ok


def test_a_nodes_labels_of_the_standard_do_not_change(standing: ControlPlane) -> None:
    for change in ("gpu.pool=dev", "gpu.model-"):
        answer = kubectl(standing)("label", "node", "gpu-1", change, "--overwrite", "--dry-run=server")
        assert refused(answer, "node-labels-fixed"), answer


def test_a_node_may_gain_a_label_be_cordoned_and_report_its_status(standing: ControlPlane) -> None:
    for command in (
        ("label", "node", "gpu-1", "gpu.mem=24gb", "team.example/rack=7"),
        ("cordon", "gpu-1"),
        ("taint", "node", "gpu-1", "nvidia.com/gpu=present:NoSchedule"),
        ("patch", "node", "gpu-1", "--subresource=status", "-p", '{"status":{"capacity":{"nvidia.com/gpu":"8"}}}'),
    ):
        answer = kubectl(standing)(*command)
        assert answer.ok, answer.err


@pytest.mark.parametrize("who", [AS_KARPENTER, AS_KUBELET], ids=["Karpenter", "the kubelet"])
def test_what_makes_nodes_is_never_stopped(standing: ControlPlane, who: tuple[str, ...]) -> None:
    command = ("label", "node", "gpu-1", "gpu.pool=dev", "--overwrite", "--dry-run=server")
    assert kubectl(standing)(*command, *who).ok
    assert not kubectl(standing)(*command).ok


def test_karpenter_may_write_any_nodepool(standing: ControlPlane) -> None:
    broken = but(a_pool(), "spec", "template", "spec", "taints", [])
    assert refused(tried(standing, broken), "gpu-taints-present")
    assert tried(standing, broken, *AS_KARPENTER).ok


@pytest.mark.parametrize(
    "broken",
    [
        but(a_pool(), "spec", "template", "spec", "taints", []),
        whole(but(a_deployment(), "spec", "template", "spec", "tolerations", [])),
    ],
    ids=["a pool", "a workload"],
)
def test_people_of_the_break_glass_group_are_not_stopped(guarded: ControlPlane, broken: Document) -> None:
    assert not tried(guarded, broken).ok
    assert tried(guarded, broken, *IN_AN_INCIDENT).ok


def test_a_teams_namespace_stays_a_teams(guarded: ControlPlane) -> None:
    for change in ("team=another", "team-", "app.kubernetes.io/part-of-"):
        answer = kubectl(guarded)("label", "namespace", "ml-serving", change, "--overwrite", "--dry-run=server")
        assert refused(answer, "tenant-labels-fixed"), answer
    assert kubectl(guarded)("label", "namespace", "ml-serving", "cost-center=42", "--dry-run=server").ok


def test_a_namespace_of_nobodys_team_is_nobodys_business(guarded: ControlPlane) -> None:
    loose = but(
        a_namespace(), "metadata", {"name": "tools", "labels": {"pod-security.kubernetes.io/enforce": "privileged"}}
    )
    assert tried(guarded, loose).ok


def test_a_workload_that_broke_a_rule_before_can_still_be_scaled_and_annotated(guarded: ControlPlane) -> None:
    broken = whole(but(a_deployment(), "spec", "template", "spec", "runtimeClassName", GONE))
    assert kubectl(guarded).apply(as_yaml(broken), *IN_AN_INCIDENT).ok
    try:
        for command in (
            ("scale", "deployment", "chat", "--replicas=3"),
            ("annotate", "deployment", "chat", "note=seen"),
        ):
            answer = kubectl(guarded)("-n", "ml-serving", *command)
            assert answer.ok, answer.err
        changed = but(broken, "spec", "template", "spec", "containers", 0, "image", "registry.example/server:2")
        assert refused(tried(guarded, changed), "pod-runtime-class")
    finally:
        kubectl(guarded)("-n", "ml-serving", "delete", "deployment", "chat", "--wait=false")


def test_a_pod_that_is_there_gains_no_way_to_nodes_that_it_was_not_let_on(guarded: ControlPlane) -> None:
    spec: Document = {"containers": [{"name": "main", "image": "registry.example/web:1"}]}
    metadata = {"name": "web", "namespace": "ml-serving"}
    pod: Document = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}
    assert kubectl(guarded).apply(as_yaml(pod)).ok
    try:
        change = ("-n", "ml-serving", "patch", "pod", "web", "--type=json", "--patch")
        one_more = '[{"op": "add", "path": "/spec/tolerations/-", "value": {%s"operator": "Exists"}}]'
        assert refused(kubectl(guarded)(*change, one_more % ""), "pod-off-gpu-nodes")
        assert kubectl(guarded)(*change, one_more % '"key": "flaky", ').ok
        assert kubectl(guarded)("-n", "ml-serving", "label", "pod", "web", "seen=true").ok
    finally:
        kubectl(guarded)("-n", "ml-serving", "delete", "pod", "web", "--wait=false")


@pytest.mark.parametrize(
    ("mode", "actions"),
    [
        (AdmissionMode.AUDIT, ["Audit"]),
        (AdmissionMode.WARN, ["Warn", "Audit"]),
        (AdmissionMode.DENY, ["Deny", "Audit"]),
    ],
)
def test_a_mode_decides_what_every_binding_does(mode: AdmissionMode, actions: list[str]) -> None:
    bindings = [
        document for document in admission(stack_settings("dev"), mode) if kind_of(document).endswith("Binding")
    ]
    assert bindings
    assert all(cast("dict[str, Any]", binding["spec"])["validationActions"] == actions for binding in bindings)


def test_on_warn_the_object_is_accepted_and_whoever_applies_it_is_told(cluster: ControlPlane) -> None:
    documents = admission(stack_settings("dev"), AdmissionMode.WARN)
    cluster.api.put_all(documents)
    try:
        broken = but(a_pool(), "spec", "template", "spec", "taints", [])
        answer = tried(cluster, broken)
        while "Warning" not in answer.err:  # until the API server has seen the policies; the tier's limit ends it
            answer = tried(cluster, broken)
        assert answer.ok
        assert "gpu-taints-present: " in answer.err
    finally:
        cluster.api.delete_all(documents, 60)


def test_a_lost_configmap_lets_pods_start(guarded: ControlPlane) -> None:
    bindings: Any = guarded.api.items("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicyBinding")
    reading = [binding["spec"]["paramRef"] for binding in bindings if "paramRef" in binding["spec"]]
    assert reading
    assert {reference["parameterNotFoundAction"] for reference in reading} == {"Allow"}


def test_an_administrators_claim_is_refused_even_where_kubernetes_would_take_it(guarded: ControlPlane) -> None:
    labelled = but(a_namespace(), "metadata", "name", "ml-labelled")
    labelled = but(labelled, "metadata", "labels", "resource.kubernetes.io/admin-access", "true")
    assert refused(tried(guarded, labelled), "tenant-without-admin-access")
    made = kubectl(guarded).apply(as_yaml(labelled), *IN_AN_INCIDENT)
    assert made.ok, made.err

    exactly = ("devices", "requests", 0, "exactly", "adminAccess", True)
    for document in (but(a_claim(), "spec", *exactly), but(a_claim_template(), "spec", "spec", *exactly)):
        there = but(document, "metadata", "namespace", "ml-labelled")
        assert refused(tried(guarded, there), "claim-without-admin-access")
        assert tried(guarded, there, *IN_AN_INCIDENT).ok, "Kubernetes itself takes it"
