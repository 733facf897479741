"""Judging plain subjects by the rules, without any engine."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from policies.rule import Finding, Rule, StackRule
from policies.rules import RULES, STACK_RULES
from policies.subject import Subject


def judge(subjects: Iterable[Subject]) -> list[Finding]:
    """Every finding of every rule: about each subject in order, then about the subjects together."""
    given = tuple(subjects)
    kinds = {(subject.kind, subject.api_version): subject for subject in given}
    about = {kind: [rule for rule in RULES if rule.applies_to(subject)] for kind, subject in kinds.items()}
    alone = [finding for each in given for finding in judge_one(each, about[each.kind, each.api_version])]
    return alone + judge_together(given)


def judge_one(subject: Subject, rules: Sequence[Rule] = RULES) -> list[Finding]:
    """What the rules find in one subject."""
    return [
        Finding(rule, subject, fault) for rule in rules if rule.applies_to(subject) for fault in rule.judge(subject)
    ]


def judge_together(subjects: Sequence[Subject], rules: Sequence[StackRule] = STACK_RULES) -> list[Finding]:
    """What the rules about whole stacks find."""
    return [
        Finding(rule, subject, fault)
        for rule in rules
        for subject, fault in rule.judge([each for each in subjects if rule.applies_to(each)])
    ]
