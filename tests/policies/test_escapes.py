"""Harmless variables, the needs of the platform's namespaces, and other labels stay allowed."""

from __future__ import annotations

import pytest

from policies.judge import judge
from policies.subject import of_document
from tests.policies.corpus import escapes
from tests.policies.corpus.escapes import MAIN, POD, with_variable
from tests.policies.documents import Document, a_claim_template, a_namespace, but
from tests.policies.harness import Case, subject
from tests.policies.pod_documents import a_config_map, a_deployment

DEVICES, CAPABILITIES = "NVIDIA_VISIBLE_DEVICES", "NVIDIA_DRIVER_CAPABILITIES"
HARMLESS: tuple[Document, ...] = (
    *(with_variable(DEVICES, value=value) for value in ("", "void", "none")),
    with_variable(DEVICES),
    *(with_variable(CAPABILITIES, value=value) for value in ("compute,utility", "video", "")),
    with_variable("CUDA_VISIBLE_DEVICES", value="0"),
    with_variable("HOST", valueFrom={"fieldRef": {"fieldPath": "status.hostIP"}}),
    *(
        but(a_deployment(), *MAIN, "envFrom", [{**prefix, "configMapRef": {"name": "it"}}])
        for prefix in ({}, {"prefix": ""}, {"prefix": "MODEL_"})
    ),
    but(a_config_map(), "data", "CUDA_VISIBLE_DEVICES", "0"),
    but(a_deployment(), *POD, "volumes", [{"name": "shm", "emptyDir": {"medium": "Memory"}}]),
    *(but(a_deployment(), *POD, field, False) for field in ("hostNetwork", "hostPID", "hostIPC")),
    but(a_deployment(), *MAIN, "securityContext", {"privileged": False, "capabilities": {"drop": ["ALL"]}}),
    but(a_claim_template(), "spec", "spec", "devices", "requests", 0, "exactly", "adminAccess", False),
    but(a_namespace(), "metadata", "labels", "resource.kubernetes.io/admin-access", "false"),
)
"""One object each; the same are accepted by the API server."""
RULES = {case.rule.name for case in escapes.CASES}
IN_NAMESPACES = [case for case in escapes.CASES if of_document(case.documents[0]).namespace is not None]


def rules_against(document: Document) -> set[str]:
    return {finding.rule.name for finding in judge([subject(document)])} & RULES


@pytest.mark.parametrize("document", HARMLESS, ids=str)
def test_what_takes_no_card_is_allowed(document: Document) -> None:
    assert rules_against(document) == set()


@pytest.mark.parametrize("case", IN_NAMESPACES, ids=str)
@pytest.mark.parametrize("namespace", ["kube-system", "gpu-operator", "monitoring"])
def test_what_the_platform_runs_itself_may_need_the_node(case: Case, namespace: str) -> None:
    (document,) = case.documents
    assert rules_against(but(document, "metadata", "namespace", namespace)) == set()


@pytest.mark.parametrize("case", IN_NAMESPACES, ids=str)
def test_a_manifest_that_names_no_namespace_is_judged_as_a_teams(case: Case) -> None:
    (document,) = case.documents
    assert rules_against(but(document, "metadata", {"name": "it"})) == {case.rule.name}


def test_a_namespace_of_nobodys_team_may_let_administrators_in() -> None:
    labels = {"resource.kubernetes.io/admin-access": "true"}
    assert rules_against(but(a_namespace(), "metadata", "labels", labels)) == set()


def test_every_escape_of_one_pod_is_told_at_once() -> None:
    pod = but(with_variable(DEVICES, value="all"), *POD, "hostPID", True)
    pod = but(pod, *POD, "volumes", [{"name": "dev", "hostPath": {"path": "/dev"}}])
    pod = but(pod, *MAIN, "securityContext", {"privileged": True})
    assert rules_against(pod) == {"pod-cards-by-request", "pod-off-host", "pod-unprivileged"}
