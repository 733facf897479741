"""All rendered objects of a stack are judged together in memory."""

from __future__ import annotations

from policies.judge import as_fault, judge_stack, report, rules_of_the_engine
from policies.rules import RULES, STACK_RULES
from policies.subject import of_document
from tests.policies.documents import a_namespace, a_pool, but


def test_two_objects_of_one_kind_and_name_are_refused() -> None:
    other = but(a_pool(), "spec", "weight", 7)

    findings = judge_stack([a_pool(), other], {}, {}, {}, {})
    twin = of_document(other)

    assert [str(finding.subject) for finding in findings if finding.rule.name == "objects-distinct"] == [str(twin)]
    assert not [finding for finding in judge_stack([a_pool(), a_namespace()], {}, {}, {}, {}) if not finding.rule.kinds]


def test_a_finding_as_a_fault_names_object_field_and_rule() -> None:
    pool = but(a_pool(), "metadata", "name", "twin")

    (finding,) = [seen for seen in judge_stack([pool, pool], {}, {}, {}, {}) if seen.rule.name == "objects-distinct"]

    fault = as_fault(finding)
    assert fault.path == "NodePool twin: metadata.name"
    assert fault.allowed.endswith("(rule objects-distinct)")
    assert "1 fault, and nothing was made" in report([finding])


def test_only_rules_about_aws_resources_are_left_to_the_engine() -> None:
    left = set(rules_of_the_engine())

    assert {"cluster-secrets-encrypted", "launch-template-metadata"} <= left
    assert not left & {"spot-diverse", "node-group-standard", "budget-kept", "gpu-labels-complete"}
    assert left < {rule.name for rule in (*RULES, *STACK_RULES)}
