"""Applies the rules to plain subjects, without any engine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from gpuplatform.faults import Fault, errors
from policies.rule import Finding, Rule, Severity, StackRule
from policies.rules import RULES, STACK_RULES
from policies.subject import NODE_GROUP, STACK, Subject, of_document, of_release, of_resource


def judge(subjects: Iterable[Subject]) -> list[Finding]:
    """Every finding of every rule: about each subject in order, then about the subjects together."""
    every_subject = tuple(subjects)
    kinds = {(subject.kind, subject.api_version): subject for subject in every_subject}
    about = {kind: [rule for rule in RULES if rule.applies_to(subject)] for kind, subject in kinds.items()}
    findings = [
        finding for subject in every_subject for finding in judge_one(subject, about[subject.kind, subject.api_version])
    ]
    return findings + judge_together(every_subject)


def judge_one(subject: Subject, rules: Sequence[Rule] = RULES) -> list[Finding]:
    """The findings of the rules about one subject."""
    return [
        Finding(rule, subject, fault) for rule in rules if rule.applies_to(subject) for fault in rule.judge(subject)
    ]


def judge_together(subjects: Sequence[Subject], rules: Sequence[StackRule] = STACK_RULES) -> list[Finding]:
    """The findings of the rules about whole stacks."""
    return [
        Finding(rule, subject, fault)
        for rule in rules
        for subject, fault in rule.judge([subject for subject in subjects if rule.applies_to(subject)])
    ]


PlainObject = Mapping[str, object]

_OUTPUTS = "platform"
_CLOUD_TOKEN = ":"
"""In the name of every cloud resource's kind, such as ``aws:eks/cluster:Cluster``, and of no Kubernetes kind."""


def judge_stack(
    documents: Iterable[PlainObject],
    chart_values: Mapping[str, PlainObject],
    node_groups: Mapping[str, PlainObject],
    published: PlainObject,
) -> tuple[Finding, ...]:
    """Every error that the rules find in a stack's Kubernetes objects, charts, node groups and published document.

    ``chart_values`` and ``node_groups`` go by name; a node group is its EKS inputs as plain data.
    """
    subjects = [
        *map(of_document, documents),
        *(of_release(chart, values) for chart, values in chart_values.items()),
        *(of_resource(NODE_GROUP.name, name, inputs) for name, inputs in node_groups.items()),
        of_resource(STACK.name, "stack", {_OUTPUTS: published}),
    ]
    twice = (Finding(OBJECTS_DISTINCT, subject, fault) for subject, fault in OBJECTS_DISTINCT.judge(subjects))
    findings = [*judge(subjects), *twice]
    return tuple(finding for finding in findings if errors([finding.fault]))


def _twice(subjects: Iterable[Subject]) -> Iterable[tuple[Subject, Fault]]:
    """Objects of one kind, namespace and name: the later would overwrite the earlier silently."""
    seen: set[tuple[str, str, str | None, str]] = set()
    for subject in subjects:
        group = subject.api_version.rpartition("/")[0]
        identity = (group, subject.kind, subject.namespace, subject.name)
        if identity in seen:
            fault = Fault("metadata.name", subject.name, "one object of its kind and name", "rename one of the two")
            yield subject, fault
        seen.add(identity)


OBJECTS_DISTINCT = StackRule(
    name="objects-distinct",
    description="No two objects of a stack have one kind, namespace and name.",
    severity=Severity.HIGH,
    remediation="Rename one of the two where the settings name it.",
    kinds=(),
    judge=_twice,
)
"""Not in the pack, because the engine itself refuses two resources of one name."""


def as_fault(finding: Finding) -> Fault:
    """A finding as a fault of the stack: the object, then the field in it, then the rule."""
    fault = finding.fault
    return Fault(
        f"{finding.subject}: {fault.path}", fault.given, f"{fault.allowed} (rule {finding.rule.name})", fault.change
    )


def report(findings: Iterable[Finding]) -> str:
    """Every finding in full, for a person."""
    lines = [str(finding) for finding in findings]
    return "\n".join([f"the policy rules refuse this stack: {_count(lines)}, and nothing was made", *lines])


def rules_of_the_engine() -> tuple[str, ...]:
    """The rules that only the engine can apply: they are about AWS resources, which settings do not hold."""
    in_memory = {NODE_GROUP, STACK}
    return tuple(
        rule.name
        for rule in (*RULES, *STACK_RULES)
        if not any(kind in in_memory or _CLOUD_TOKEN not in kind.name for kind in rule.kinds)
    )


def _count(lines: list[str]) -> str:
    return "1 fault" if len(lines) == 1 else f"{len(lines)} faults"
