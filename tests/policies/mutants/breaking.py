"""How a field is broken, and what each rule finds in the broken object."""

from __future__ import annotations

import copy
import enum
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias, cast

from policies.judge import apply
from policies.reads import Path, Reads, observed, reads_of
from policies.rule import ChangeRule, Rule, StackRule, ViewRule
from policies.rules import CHANGE_RULES, RULES, STACK_RULES, VIEW_RULES
from policies.subject import Plain, Subject, of_plain
from tests.policies.documents import GONE, Gone
from tests.policies.mutants.sources import Source

AnyRule: TypeAlias = Rule | StackRule | ViewRule | ChangeRule
EVERY_RULE: tuple[AnyRule, ...] = (*RULES, *STACK_RULES, *VIEW_RULES, *CHANGE_RULES)


class Way(enum.StrEnum):
    """How a field is broken."""

    REMOVED = "removed"
    VALUE = "wrong value"
    TYPE = "wrong type"
    UNKNOWN = "unknown"


EVERY_WAY = (Way.REMOVED, Way.VALUE, Way.TYPE)
"""How a field is broken on purpose; a field that is not known yet is not broken."""


def _nothing(*_: object) -> tuple[()]:
    return ()


def at_path(body: Plain, path: Path) -> Plain | Gone:
    """The value of a field; GONE where there is none."""
    for key in path:
        if isinstance(body, Mapping) and isinstance(key, str) and key in body:
            body = body[key]
        elif isinstance(body, Sequence) and isinstance(key, int) and key < len(body):
            body = cast("Sequence[Plain]", body)[key]
        else:
            return GONE
    return body


def broken(subject: Subject, path: Path, value: Plain | Gone) -> Subject:
    """The same object with one field changed or removed; the other fields are shared, not copied."""
    body = cast("Mapping[str, Plain]", _changed(subject.body, path, value))
    if not subject.api_version or subject.kind == "Release":
        return replace(subject, body=body)
    changed = of_plain(body)
    named = changed.name or subject.name
    return replace(changed, kind=subject.kind, api_version=subject.api_version, name=named)


def _changed(holder: Plain, path: Path, value: Plain | Gone) -> Plain:
    key, rest = path[0], path[1:]
    if isinstance(key, int):
        listed = list(cast("Sequence[Plain]", holder))
        became = _changed(listed[key], rest, value) if rest else value
        listed[key : key + 1] = [] if became is GONE else [became]
        return listed
    made = dict(holder) if isinstance(holder, Mapping) else {}
    became = _changed(made.get(key), rest, value) if rest else value
    if became is GONE:
        made.pop(key, None)
    else:
        made[key] = became
    return made


class Judged:
    """A source as every rule reads it, so that a broken field is shown only to the rules that look there."""

    def __init__(self, of: Source, rules: Sequence[AnyRule] = EVERY_RULE) -> None:
        self._source = of
        self._reads: list[dict[str, Reads]] = [{} for _ in of.subjects]
        self._rules = {rule.name: rule for rule in rules if not isinstance(rule, ViewRule) or of.view is not None}
        for rule in self._rules.values():
            self._note(rule)

    def without(self, name: str) -> Judged:
        """The same with one rule silenced."""
        rule = self._rules[name]
        other = copy.copy(self)
        other._rules = {**self._rules, name: replace(rule, judge=_nothing)}
        return other

    @property
    def rules(self) -> frozenset[str]:
        """The rules that read any part of the source."""
        return frozenset(name for reads in self._reads for name in reads)

    def reads(self, number: int) -> Mapping[str, Reads]:
        """What each rule reads of one subject, by the rule's name."""
        return self._reads[number]

    def refused_by(self, number: int, path: Path, value: Plain | Gone) -> frozenset[str]:
        """The rules that refuse the source with that field broken."""
        subject = broken(self._source.subjects[number], path, value)
        looking = [name for name, reads in self._reads[number].items() if reads.sees(path)]
        return frozenset(name for name in looking if self._refuses(self._rules[name], number, subject))

    def _refuses(self, rule: AnyRule, number: int, subject: Subject) -> bool:
        if isinstance(rule, StackRule):
            subjects = list(self._source.subjects)
            subjects[number] = subject
            return bool(apply(rule, [candidate for candidate in subjects if rule.applies_to(candidate)]))
        return bool(self._judge(rule, number)(subject))

    def _judge(self, rule: Rule | ViewRule | ChangeRule, number: int) -> Callable[[Subject], Sequence[object]]:
        """The rule as a function of one changed subject."""
        if isinstance(rule, ChangeRule):
            return lambda subject: list(rule.judge(self._source.subjects[number], subject))
        return lambda subject: apply(rule, [subject], self._source.view)

    def _note(self, rule: AnyRule) -> None:
        """What the rule reads of the source as it stands."""
        mine = [number for number, subject in enumerate(self._source.subjects) if rule.applies_to(subject)]
        if isinstance(rule, StackRule):
            every = {number: Reads() for number in mine}
            apply(rule, [observed(self._source.subjects[number], every[number]) for number in mine])
        else:
            every = {number: reads_of(self._judge(rule, number), self._source.subjects[number]) for number in mine}
        for number, reads in every.items():
            self._reads[number][rule.name] = reads
