"""Pods at the API server: each reaches one pool with a priority class of its namespace, or is refused with a reason."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest
import yaml

from gpuplatform.accept import accepted
from gpuplatform.render.document import Document
from gpuplatform.standard.resources import GPU
from policies.admission.scopes import SCOPES
from policies.cel import Cel
from policies.subject import of_document
from policies.workloads import pod_templates
from sandbox.control_plane.control_plane import ControlPlane
from sandbox.control_plane.controllers import Commands
from tests.bench.sizes import with_pools, with_tenants
from tests.builders import ROOT
from tests.cluster.admission import guarding, verdicts
from tests.policies.documents import GONE, but
from tests.policies.pod_documents import a_deployment
from tests.policies.test_escapes import HARMLESS
from tests.policies.test_pods_stack import BROKEN

pytestmark = [pytest.mark.cluster, pytest.mark.xdist_group("cluster")]

EXAMPLES = ROOT / "examples" / "workloads"


def pod_of(document: Document) -> Document:
    """The pod that a workload's controller would make, with the workload's own labels."""
    subject = of_document(document)
    (template,) = pod_templates(subject)
    workload_metadata = cast("dict[str, object]", document["metadata"])
    metadata: Document = {
        "name": "it",
        "namespace": subject.namespace or "default",
        "labels": workload_metadata.get("labels") or {},
    }
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": dict(template.spec)}


def a_pod(namespace: str = "ml-serving") -> Document:
    return but(pod_of(a_deployment()), "metadata", "namespace", namespace)


def test_every_pod_that_the_stack_cannot_take_is_refused_by_the_rule_that_lint_names(guarded: ControlPlane) -> None:
    held = [(rule, what, document) for rule, what, document, _ in BROKEN if isinstance(rule.admission, Cel)]
    refusals = verdicts(guarded, [pod_of(document) for _, _, document in held])

    passed = {what for n, (_, what, _) in enumerate(held) if n not in refusals}
    assert passed == {"more memory than a node has"}, "a rule says in short_of what the API server cannot see"
    for n, (rule, what, _) in enumerate(held):
        if n in refusals:
            names = {rule.name, "pod-reaches-one-pool"} if what == "more shares than a node has" else {rule.name}
            assert any(f"{name}: " in refusals[n] for name in names), (what, refusals[n])


def test_a_refusal_tells_every_finding_and_what_to_do(guarded: ControlPlane) -> None:
    broken = but(but(a_pod(), "spec", "tolerations", []), "spec", "priorityClassName", "training-normal")
    broken = but(broken, "spec", "runtimeClassName", GONE)

    (refusal,) = verdicts(guarded, [broken]).values()
    for words in (
        "pod-tolerates-standard: ",
        "gpuplatform block",
        "pod-runtime-class: ",
        "pod-priority-allowed: ",
        "This namespace may use inference-critical.",
        "It reaches no pool of this stack.",
    ):
        assert words in refusal


@pytest.mark.parametrize("requested", ["2", "0.5"])
def test_requests_other_than_limits_are_refused_by_kubernetes_itself(guarded: ControlPlane, requested: str) -> None:
    cards = ("spec", "containers", 0, "resources", "requests", GPU)
    (refusal,) = verdicts(guarded, [but(a_pod(), *cards, requested)]).values()
    assert "Invalid value" in refusal
    assert f"must be equal to {GPU} limit of 1" in refusal or "must be an integer" in refusal


def test_pods_without_cards_start_in_a_teams_namespace(guarded: ControlPlane) -> None:
    plain: Document = {"containers": [{"name": "main", "image": "registry.example/web:1"}]}
    assert verdicts(guarded, [but(a_pod(), "spec", plain)]) == {}


def test_what_takes_no_card_is_accepted(guarded: ControlPlane) -> None:
    assert verdicts(guarded, HARMLESS) == {}


def test_outside_teams_namespaces_only_the_platforms_priorities_are_held(guarded: ControlPlane) -> None:
    system = but(a_pod("kube-system"), "spec", "priorityClassName", "system-node-critical")
    unselective = but(but(a_pod("default"), "spec", "priorityClassName", GONE), "spec", "nodeSelector", GONE)
    thief = a_pod("default")

    refusals = verdicts(guarded, [system, unselective, thief])

    assert set(refusals) == {2}
    assert "pod-priority-allowed: " in refusals[2]
    assert "may use none of the platform's" in refusals[2]


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.yaml")), ids=lambda path: path.stem)
def test_an_example_is_accepted(guarded: ControlPlane, path: Path) -> None:
    documents = [document for document in yaml.safe_load_all(path.read_text(encoding="utf-8")) if document]
    judged = {kind.name for scope in SCOPES for kind in scope.kinds}
    assert verdicts(guarded, [document for document in documents if document["kind"] in judged]) == {}


def test_two_hundred_pools_and_tenants_are_judged_within_the_cost_limits(
    commands: Commands, karpenter_crds: Path, tmp_path: Path
) -> None:
    settings = accepted({**with_pools(200), "tenants": with_tenants(200)["tenants"]})
    space = settings.tenants[-1].namespaces[0]
    pod = but(a_pod(space.name), "spec", "priorityClassName", space.priorities[0])
    everything: list[Document] = [{"operator": "Exists"}]
    with guarding(settings, tmp_path, commands, karpenter_crds) as cluster:
        refusals = verdicts(cluster, [pod, but(pod, "spec", "tolerations", everything)])

    assert "It reaches no pool of this stack." in refusals[0]
    assert "It reaches pool-0-l4-24gb-on-demand, " in refusals[1], "all pools are checked within the cost limit"
    assert "…" in refusals[1], "a message that is too long would be no message at all"
