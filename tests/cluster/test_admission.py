"""The standard inside the cluster: what the API server refuses is what the rules refuse, and nothing else."""

from __future__ import annotations

import copy
import re
import time
from collections.abc import Iterator, Sequence
from typing import cast

import pytest

from gpuplatform.accept import check_file
from gpuplatform.proofs.capture.stack import stack_view
from gpuplatform.render.document import Document, as_yaml, kind_of
from gpuplatform.render.dra import template_name
from gpuplatform.render.stack import render
from gpuplatform.settings.admission import AdmissionMode
from policies.admission.documents import admission_documents
from policies.admission.scopes import SCOPES
from policies.cel import Cel
from policies.rule import Rule
from policies.subject import Kind
from sandbox.control_plane.control_plane import ControlPlane
from tests.builders import ROOT
from tests.policies.corpus import CASES
from tests.policies.documents import GOOD, a_pool, but
from tests.policies.harness import Case
from tests.policies.pod_documents import a_deployment

pytestmark = [pytest.mark.cluster, pytest.mark.xdist_group("cluster")]

_ACTIVE_SECONDS = 60
_TEAM = {
    "team": "platform",
    "app.kubernetes.io/part-of": "gpu-platform",
    "pod-security.kubernetes.io/enforce": "baseline",
}
_JUDGED = {kind for scope in SCOPES for kind in scope.kinds}

UNSEEN = {
    "gpu-labels-true: fractions of the card",
    "gpu-labels-true: a category is no hardware",
    "gpu-labels-true: a family that nobody knows",
    "nodepool-disruption: no block",
    "node-metadata-hops: not said",
    "node-metadata-tokens: not said",
    "token-field-not-annotation: on the service account",
}
"""Cases that the pack refuses and the API server cannot: each rule says so in ``short_of``."""


def admission(mode: AdmissionMode) -> tuple[Document, ...]:
    settings = check_file(ROOT / "Pulumi.dev.yaml").settings
    assert settings is not None
    return admission_documents(stack_view(settings, template_name), mode)


def stream(documents: Sequence[Document]) -> str:
    return "\n---\n".join(as_yaml(each) for each in documents)


@pytest.fixture(scope="module")
def guarded(cluster: ControlPlane) -> Iterator[ControlPlane]:
    """The cluster with every admission policy on deny, and the dev stack's teams in it."""
    settings = check_file(ROOT / "Pulumi.dev.yaml").settings
    assert settings is not None
    rendered = render(settings)
    spaces = [each.namespace for each in rendered.tenants]
    for documents in (spaces, rendered.cluster_documents, admission(AdmissionMode.DENY)):
        applied = cluster.kubectl.apply(stream(documents))
        assert applied.ok, applied.err
    _await_active(cluster)
    yield cluster
    gone = cluster.kubectl("delete", "--wait=false", "-f", "-", stdin=stream(admission(AdmissionMode.DENY)))
    assert gone.ok, gone.err


def _await_active(cluster: ControlPlane) -> None:
    """A policy works once the API server has seen it: until one object of each scope's first kind is refused."""
    canaries = [
        but(a_deployment(), "spec", "template", "spec", "tolerations", []),
        but(a_pool(), "spec", "template", "spec", "taints", []),
    ]
    begun = time.monotonic()
    while not all(
        "denied" in cluster.kubectl.apply(as_yaml(_whole(each)), "--dry-run=server").err for each in canaries
    ):
        assert time.monotonic() - begun < _ACTIVE_SECONDS, "the admission policies are not active"


def _whole(document: Document) -> Document:
    """The document with what the API server asks of its kind beside what rules read."""
    whole = copy.deepcopy(document)
    spec = cast("dict[str, object]", whole.get("spec", {}))
    if whole["kind"] == "EC2NodeClass":
        terms = [{"tags": {"karpenter.sh/discovery": "dev"}}]
        spec.setdefault("subnetSelectorTerms", terms)
        spec.setdefault("securityGroupSelectorTerms", terms)
    template = cast("dict[str, dict[str, object]]", spec.get("template", {}))
    if whole["kind"] in ("Deployment", "Job"):
        pod = template["spec"]
        if whole["kind"] == "Job":
            pod.setdefault("restartPolicy", "Never")
        else:
            spec.setdefault("selector", {"matchLabels": {"app": "chat"}})
        for each in cast("list[dict[str, object]]", pod["containers"]):
            each.setdefault("image", "registry.example/it:1")
    return whole


def _named(document: Document, number: int) -> Document:
    named = _whole(document)
    cast("dict[str, object]", named["metadata"])["name"] = f"case-{number}"
    return named


def _verdicts(cluster: ControlPlane, documents: Sequence[Document]) -> dict[int, str]:
    """What the API server says of each document that it refuses, by its number; one kubectl for all."""
    said = cluster.kubectl.apply(stream([_named(each, n) for n, each in enumerate(documents)]), "--dry-run=server").err
    verdicts: dict[int, str] = {}
    for part in re.split(r"(?m)^(?=Error from server|The |error: )", said):
        if found := re.search(r"case-(\d+)\b", part):
            verdicts[int(found[1])] = verdicts.get(int(found[1]), "") + part
    return verdicts


def _in_cluster(case: Case) -> bool:
    kinds = {Kind(str(each.get("apiVersion", "")).rpartition("/")[0], kind_of(each)) for each in case.documents}
    return len(case.documents) == 1 and isinstance(case.rule, Rule) and kinds <= _JUDGED


BROKEN = [each for each in CASES if _in_cluster(each) and isinstance(each.rule.admission, Cel)]


def test_every_good_object_is_accepted(guarded: ControlPlane) -> None:
    good = [each for each in GOOD if Kind(str(each.get("apiVersion", "")).rpartition("/")[0], kind_of(each)) in _JUDGED]

    assert len(good) > 8
    assert _verdicts(guarded, good) == {}


def test_every_broken_object_is_refused_with_our_remedy_or_by_the_api_server_itself(
    guarded: ControlPlane, capsys: pytest.CaptureFixture[str]
) -> None:
    verdicts = _verdicts(guarded, [each.documents[0] for each in BROKEN])

    ours = {n for n, each in enumerate(BROKEN) if f"{each.rule.name}: " in verdicts.get(n, "")}
    servers = {n for n in verdicts if "ValidatingAdmissionPolicy" not in verdicts[n]}
    passed = {str(each) for n, each in enumerate(BROKEN) if n not in verdicts}
    others = [f"{each}: {verdicts[n]}" for n, each in enumerate(BROKEN) if n in set(verdicts) - ours - servers]
    assert passed == UNSEEN & {str(each) for each in BROKEN}
    assert not others, "refused, and not for its own fault"
    assert all(BROKEN[n].rule.remediation in verdicts[n] for n in ours)
    with capsys.disabled():
        print(
            f"\nadmission: {len(BROKEN)} broken objects: {len(ours)} refused by our rules, {len(servers)} by the"
            f" API server itself, {len(passed)} that only the pack sees"
        )


def test_what_only_the_pack_sees_is_said_by_its_rule() -> None:
    for each in BROKEN:
        if str(each) in UNSEEN:
            assert isinstance(each.rule.admission, Cel)
            assert each.rule.admission.short_of, each
