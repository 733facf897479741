"""The standard inside the cluster: the API server refuses the objects that the rules refuse, and no others."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuplatform.render.document import Document, kind_of
from policies.admission.scopes import SCOPES
from policies.cel import Cel
from policies.enforcers import every_rule
from policies.rule import Rule
from policies.rules import RULES
from policies.subject import Kind
from sandbox.control_plane.control_plane import ControlPlane
from tests.cluster.admission import verdicts
from tests.figures import Figures
from tests.kubectl import kubectl
from tests.policies.corpus import CASES
from tests.policies.documents import GOOD, a_cpu_pool, but, requirement
from tests.policies.harness import Case
from tests.policies.lint.test_fixtures import FIXTURES, expected

pytestmark = [pytest.mark.cluster, pytest.mark.xdist_group("cluster")]

_JUDGED = {kind for scope in SCOPES for kind in scope.kinds}

ENFORCED = {rule.name for rule in RULES if isinstance(rule.admission, Cel) and _JUDGED & set(rule.kinds)}
BEFORE_US = "claim-without-admin-access"
"""Kubernetes refuses such a claim itself, unless its namespace has a label that no team's may have."""
UNSEEN = {
    "gpu-labels-true: fractions of the card",
    "gpu-labels-true: a category is no hardware",
    "gpu-labels-true: a family that nobody knows",
    "drift-possible: every day is closed whole",
    "drift-possible: two windows fill the week",
    "node-metadata-hops: not said",
    "node-metadata-tokens: not said",
    "token-field-not-annotation: on the service account",
}
"""Cases that the pack refuses and the API server cannot: each rule says so in ``short_of``."""


def _in_cluster(case: Case) -> bool:
    return len(case.documents) == 1 and isinstance(case.rule, Rule) and _is_judged(case.documents[0])


def _is_judged(document: Document) -> bool:
    return Kind(str(document.get("apiVersion", "")).rpartition("/")[0], kind_of(document)) in _JUDGED


BROKEN = [case for case in CASES if _in_cluster(case) and isinstance(case.rule.admission, Cel)]


def test_every_good_object_is_accepted(guarded: ControlPlane) -> None:
    good = [document for document in GOOD if _is_judged(document)]

    assert len(good) > 8
    assert verdicts(guarded, good) == {}


def test_every_broken_object_is_refused_with_our_remedy_or_by_the_api_server_itself(
    guarded: ControlPlane, figures: Figures
) -> None:
    refusals = verdicts(guarded, [case.documents[0] for case in BROKEN])

    ours = {n for n, case in enumerate(BROKEN) if f"{case.rule.name}: " in refusals.get(n, "")}
    servers = {n for n in refusals if "ValidatingAdmissionPolicy" not in refusals[n]}
    passed = {str(case) for n, case in enumerate(BROKEN) if n not in refusals}
    others = [f"{case}: {refusals[n]}" for n, case in enumerate(BROKEN) if n in set(refusals) - ours - servers]
    assert passed == UNSEEN & {str(case) for case in BROKEN}
    assert not others, "refused, and not for its own fault"
    assert {BROKEN[n].rule.name for n in ours} == ENFORCED - {BEFORE_US}, (
        "a rule whose expression never refuses anything"
    )
    assert all(BROKEN[n].rule.remediation in refusals[n] for n in ours)
    figures(
        f"admission: {len(BROKEN)} broken objects: {len(ours)} refused by our rules, {len(servers)} by the"
        f" API server itself, {len(passed)} that only the pack sees"
    )


def test_what_only_the_pack_sees_is_said_by_its_rule() -> None:
    for case in BROKEN:
        if str(case) in UNSEEN:
            assert isinstance(case.rule.admission, Cel)
            assert case.rule.admission.gap, case


def in_cluster(path: Path) -> bool:
    """Whether the API server can refuse the mistake in a file."""
    rules = {rule.name: rule for rule in every_rule()}
    rule = rules.get(expected(path))
    return rule is not None and isinstance(rule.admission, Cel)


@pytest.mark.parametrize("path", list(filter(in_cluster, FIXTURES)), ids=lambda path: path.stem)
def test_kubectl_apply_of_a_known_mistake_is_denied_with_the_remedy(guarded: ControlPlane, path: Path) -> None:
    refused = kubectl(guarded).apply(path.read_text(encoding="utf-8"))

    assert not refused.ok
    rule = next(candidate for candidate in every_rule() if candidate.name == expected(path))
    assert f"{rule.name}: " in refused.err
    assert rule.remediation in refused.err


@pytest.mark.parametrize(
    ("key", "operator", "values"),
    [
        ("karpenter.k8s.aws/instance-category", "In", ("c", "m", "r")),
        ("karpenter.k8s.aws/instance-category", "NotIn", ("g", "gr", "p")),
        ("karpenter.k8s.aws/instance-family", "In", ("m7i", "c7g")),
        ("karpenter.k8s.aws/instance-gpu-count", "DoesNotExist", ()),
    ],
    ids=str,
)
def test_a_pool_that_rules_cards_out_otherwise_than_by_type_is_no_gpu_pool(
    guarded: ControlPlane, key: str, operator: str, values: tuple[str, ...]
) -> None:
    line = requirement(key, operator, *values)
    if not values:
        del line["values"]
    assert verdicts(guarded, [but(a_cpu_pool(), "spec", "template", "spec", "requirements", [line])]) == {}
