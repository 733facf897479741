"""The pack as a whole: what it declares, and that it starts and answers as the engine expects."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator

import pytest
import yaml
from google.protobuf import empty_pb2
from pulumi.runtime import proto

from policies.engine import PackServer
from policies.rules import RULES, STACK_RULES
from policies.subject import UNKNOWN
from tests.policies.analyzer import PACK, Analyzer, started_pack
from tests.policies.corpus import CASES
from tests.policies.documents import GONE, GOOD, a_mig_pool, a_pool, but
from tests.policies.harness import NO_CONTEXT

ROLE = ("spec", "template", "metadata", "labels", "gpu.role")
EVERY_RULE = (*RULES, *STACK_RULES)
INFO = PackServer(RULES, STACK_RULES).GetAnalyzerInfo(empty_pb2.Empty(), NO_CONTEXT)


def test_every_rule_is_in_the_pack_once_and_named_in_kebab_case() -> None:
    names = [policy.name for policy in INFO.policies]

    assert names == [rule.name for rule in EVERY_RULE]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)+", name) for name in names)


@pytest.mark.parametrize("policy", INFO.policies, ids=lambda policy: policy.name)
def test_every_policy_is_mandatory_described_rated_and_says_what_to_do(policy: proto.PolicyInfo) -> None:
    assert policy.enforcementLevel == proto.MANDATORY
    assert policy.description.endswith(".")
    assert policy.severity != proto.POLICY_SEVERITY_UNSPECIFIED
    assert policy.remediation_steps.endswith(".")
    assert policy.url == f"docs/reference/policies.md#{policy.name}"


def test_every_rule_is_shown_to_bite() -> None:
    assert {case.rule.name for case in CASES} == {rule.name for rule in EVERY_RULE}


def test_the_rules_are_read_without_pulumi() -> None:
    code = "import sys, policies.judge; print(sorted(m for m in sys.modules if m.startswith(('pulumi', 'grpc'))))"

    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert ran.stdout.strip() == "[]"


def test_the_pack_names_the_project_s_environment() -> None:
    options = yaml.safe_load((PACK / "PulumiPolicy.yaml").read_text(encoding="utf-8"))["runtime"]["options"]

    assert options == {"toolchain": "pip", "virtualenv": "../.venv"}


def test_the_pack_starts_where_the_project_is_not_installed() -> None:
    with started_pack(installed=False) as analyzer:
        assert len(analyzer.rules()) == len(EVERY_RULE)


@pytest.fixture(scope="module")
def analyzer() -> Iterator[Analyzer]:
    with started_pack() as started:
        yield started


def test_the_started_pack_lists_every_rule_as_mandatory(analyzer: Analyzer) -> None:
    assert analyzer.rules() == dict.fromkeys((rule.name for rule in EVERY_RULE), "MANDATORY")


def test_the_started_pack_passes_what_is_good(analyzer: Analyzer) -> None:
    for document in GOOD:
        assert analyzer.analyze(document) == []
    assert analyzer.analyze_stack(*GOOD) == []


def test_the_started_pack_refuses_a_missing_label_by_the_rule_s_name(analyzer: Analyzer) -> None:
    (diagnostic,) = analyzer.analyze(but(a_pool(), *ROLE, GONE))

    assert (diagnostic.rule, diagnostic.level) == ("gpu-labels-complete", "MANDATORY")
    assert "NodePool serve-l4" in diagnostic.message
    assert "add the label gpu.role" in diagnostic.message


def test_the_started_pack_judges_what_is_known_beside_what_is_not(analyzer: Analyzer) -> None:
    unknown_class = but(a_pool(), "spec", "template", "spec", "nodeClassRef", "name", UNKNOWN)

    assert analyzer.analyze(unknown_class) == []
    assert [reported.rule for reported in analyzer.analyze(but(unknown_class, *ROLE, GONE))] == ["gpu-labels-complete"]


def test_the_started_pack_judges_the_whole_stack_and_names_the_resource(analyzer: Analyzer) -> None:
    (diagnostic,) = analyzer.analyze_stack(a_pool(), a_mig_pool())

    assert (diagnostic.rule, diagnostic.level, diagnostic.urn) == ("sharing-config-exists", "MANDATORY", "urn:1")


def test_the_started_pack_says_what_waits_for_the_update_and_with_which_rule(analyzer: Analyzer) -> None:
    diagnostics = analyzer.analyze(but(a_pool(), "spec", "limits", UNKNOWN))

    assert {diagnostic.level for diagnostic in diagnostics} == {"ADVISORY"}
    (ceiling,) = [reported for reported in diagnostics if reported.rule == "nodepool-ceiling"]
    assert "NodePool serve-l4: spec.limits: not known yet" in ceiling.message


def test_a_level_that_the_engine_was_given_is_the_rule_s() -> None:
    broken = but(but(a_pool(), *ROLE, GONE), "spec", "weight", 101)
    with started_pack() as analyzer:
        analyzer.configure({"gpu-labels-complete": "ADVISORY", "nodepool-weight": "DISABLED"})

        assert [(reported.rule, reported.level) for reported in analyzer.analyze(broken)] == [
            ("gpu-labels-complete", "ADVISORY")
        ]
