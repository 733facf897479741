"""Applies the rules to subjects without any engine, for the pack, lint, `check`, the program and the tests.

A stack is judged as a whole: its objects, its charts, its node groups, and the changes of the labels that it published.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence

from gpuplatform.analysis.placement.view import StackView
from gpuplatform.faults import Fault
from policies.rule import Finding, Rule, Severity, StackRule, ViewRule
from policies.rules import RULES, STACK_RULES, VIEW_RULES
from policies.rules.immutable_labels import GPU_LABELS_FIXED
from policies.subject import (
    NODE_GROUP,
    PUBLISHED,
    STACK,
    Kind,
    Subject,
    at,
    known_items,
    of_document,
    of_plain,
    of_release,
    of_resource,
    plain,
    text,
)

PlainObject = Mapping[str, object]

_CLOUD_TOKEN = ":"
"""In the name of every cloud resource's kind, such as ``aws:eks/cluster:Cluster``, and of no Kubernetes kind."""


def apply(
    rule: Rule | StackRule | ViewRule, subjects: Sequence[Subject], view: StackView | None = None
) -> list[Finding]:
    """The findings of one rule about subjects of its kinds; a rule about a named stack finds nothing without a view."""
    match rule:
        case StackRule():
            return [Finding(rule, subject, fault) for subject, fault in rule.judge(subjects)]
        case ViewRule():
            if view is None:
                return []
            return [Finding(rule, subject, fault) for subject in subjects for fault in rule.judge(subject, view)]
        case Rule():
            return [Finding(rule, subject, fault) for subject in subjects for fault in rule.judge(subject)]


def judge(subjects: Iterable[Subject]) -> list[Finding]:
    """Every finding of every rule: about each subject in order, then about the subjects together."""
    every_subject = tuple(subjects)
    return [
        *(finding for subject in every_subject for finding in judge_one(subject)),
        *judge_together(every_subject),
    ]


def judge_one(subject: Subject, view: StackView | None = None) -> list[Finding]:
    """The findings of the rules about one subject."""
    return [finding for rule in _rules_about(subject.group_kind) for finding in apply(rule, [subject], view)]


def judge_together(subjects: Sequence[Subject], rules: Sequence[StackRule] = STACK_RULES) -> list[Finding]:
    """The findings of the rules about several subjects together."""
    return [
        finding
        for rule in rules
        for finding in apply(rule, [subject for subject in subjects if rule.applies_to(subject)])
    ]


@functools.cache
def _rules_about(kind: Kind) -> tuple[Rule | ViewRule, ...]:
    return tuple(rule for rule in (*RULES, *VIEW_RULES) if kind in rule.kinds)


def judge_stack(
    documents: Iterable[PlainObject],
    chart_values: Mapping[str, PlainObject],
    node_groups: Mapping[str, PlainObject],
    published: PlainObject,
    published_before: PlainObject,
) -> tuple[Finding, ...]:
    """Every finding about a stack's Kubernetes objects, charts, node groups, published document and published labels.

    ``chart_values`` and ``node_groups`` go by name; a node group is its EKS inputs as plain data. ``published_before``
    is the running stack's document, empty where none was published.
    """
    subjects = [
        *map(of_document, documents),
        *(of_release(chart, values) for chart, values in chart_values.items()),
        *(of_resource(NODE_GROUP.name, name, inputs) for name, inputs in node_groups.items()),
        of_resource(STACK.name, "stack", {PUBLISHED: published}),
    ]
    return (*judge(subjects), *apply(OBJECTS_DISTINCT, subjects), *_label_changes(published_before, published))


def _label_changes(before: PlainObject, after: PlainObject) -> Iterator[Finding]:
    """Every fixed label of a published NodePool that would change; a new or a removed NodePool changes no label."""
    new = {subject.name: subject for subject in _published_node_pools(after)}
    for old in _published_node_pools(before):
        if old.name in new:
            for fault in GPU_LABELS_FIXED.judge(old, new[old.name]):
                yield Finding(GPU_LABELS_FIXED, new[old.name], fault)


def _published_node_pools(document: PlainObject) -> Iterator[Subject]:
    """The NodePools of a published document, with nothing but their labels."""
    for pool in known_items(plain(document.get("pools"))):
        for node_pool in known_items(at(pool, "node_pools")):
            yield of_plain(
                {
                    "apiVersion": "karpenter.sh/v1",
                    "kind": "NodePool",
                    "metadata": {"name": text(at(node_pool, "name"))},
                    "spec": {"template": {"metadata": {"labels": at(node_pool, "labels")}}},
                }
            )


def _duplicates(subjects: Iterable[Subject]) -> Iterable[tuple[Subject, Fault]]:
    """Objects of one kind, namespace and name: the later would overwrite the earlier silently."""
    identities: set[tuple[Kind, str | None, str]] = set()
    for subject in subjects:
        identity = (subject.group_kind, subject.namespace, subject.name)
        if identity in identities:
            fault = Fault("metadata.name", subject.name, "one object of its kind and name", "rename one of the two")
            yield subject, fault
        identities.add(identity)


OBJECTS_DISTINCT = StackRule(
    name="objects-distinct",
    description="No two objects of a stack have one kind, namespace and name.",
    severity=Severity.HIGH,
    remediation="Rename one of the two where the settings name it.",
    kinds=(),
    judge=_duplicates,
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
    count = "1 fault" if len(lines) == 1 else f"{len(lines)} faults"
    return "\n".join([f"the policy rules refuse this stack: {count}, and nothing was made", *lines])


def rules_of_the_engine() -> tuple[str, ...]:
    """The rules that only the engine can apply: they are about AWS resources, which settings do not hold."""
    in_memory = {NODE_GROUP, STACK}
    return tuple(
        rule.name
        for rule in (*RULES, *STACK_RULES)
        if not any(kind in in_memory or _CLOUD_TOKEN not in kind.name for kind in rule.kinds)
    )
