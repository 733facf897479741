"""Every rule accepts good documents, refuses broken ones with a change to make, and handles unknown values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import cast

import pytest

from policies.judge import judge, judge_one, judge_together
from policies.rule import Finding, Rule, StackRule
from policies.rules import RULES, STACK_RULES
from policies.subject import UNKNOWN
from tests.examples import sampled
from tests.policies.corpus import CASES
from tests.policies.documents import GONE, GOOD, Document, but
from tests.policies.harness import Case, engine_verdict, subject, verdict

EVERY_RULE: tuple[Rule | StackRule, ...] = (*RULES, *STACK_RULES)
NOTHING: dict[str, object] = {}
WRONG: tuple[object, ...] = (None, True, 7, 5.5, "", "x", list[str](), ["x"], [None], [NOTHING], NOTHING, {"x": "y"})


def _paths(value: object, path: tuple[object, ...] = ()) -> Iterator[tuple[object, ...]]:
    """The path of every field of a document, however deep."""
    inside = (
        cast("dict[object, object]", value).items()
        if isinstance(value, dict)
        else enumerate(cast("list[object]", value))
        if isinstance(value, list)
        else ()
    )
    for key, item in inside:
        yield (*path, key)
        yield from _paths(item, (*path, key))


def _fields(document: Document) -> Sequence[tuple[object, ...]]:
    return sampled([path for path in _paths(document) if path not in (("kind",), ("apiVersion",))])


def _name(document: Document) -> str:
    return str(subject(document))


def _judge_of(document: Document) -> Callable[[Document], list[Finding]]:
    """Judges what stands in the place of one good document; the rules find nothing in the others by themselves."""
    others = [subject(good) for good in GOOD if good is not document]

    def findings(changed: Document) -> list[Finding]:
        judged = subject(changed)
        return [*judge_one(judged), *judge_together([*others, judged])]

    return findings


def test_a_good_stack_breaks_no_rule() -> None:
    assert judge(map(subject, GOOD)) == []


@pytest.mark.parametrize("rule", EVERY_RULE, ids=lambda rule: rule.name)
def test_the_engine_passes_a_good_stack(rule: Rule | StackRule) -> None:
    assert engine_verdict(rule, *GOOD) == []


@pytest.mark.parametrize("rule", EVERY_RULE, ids=lambda rule: rule.name)
def test_every_rule_has_something_good_to_read(rule: Rule | StackRule) -> None:
    assert any(rule.applies_to(subject(document)) for document in GOOD)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_broken_document_is_refused_with_the_way_to_mend_it(case: Case) -> None:
    messages = verdict(case.rule, *case.documents)

    assert messages, "the rule did not bite"
    for words in case.says:
        assert any(words in message for message in messages), f"nobody said {words!r}: {messages}"


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_engine_reports_what_the_rule_says(case: Case) -> None:
    plain, reported = verdict(case.rule, *case.documents), engine_verdict(case.rule, *case.documents)

    assert len(reported) == len(plain)
    assert all(fault in message for fault, message in zip(plain, reported, strict=True))


@pytest.mark.parametrize("document", GOOD, ids=_name)
def test_no_unknown_field_of_a_good_document_is_refused(document: Document) -> None:
    judged = _judge_of(document)
    for path in _fields(document):
        findings = judged(but(document, *path, UNKNOWN))
        assert findings == [], f"{path} unknown: {[str(finding) for finding in findings]}"


@pytest.mark.parametrize("document", GOOD, ids=_name)
def test_no_unknown_field_ends_a_rule_in_the_engine(document: Document) -> None:
    rules = [rule for rule in EVERY_RULE if rule.applies_to(subject(document))]
    for path in _fields(document):
        verdicts = [engine_verdict(rule, but(document, *path, UNKNOWN)) for rule in rules]
        assert not any(messages for messages, rule in zip(verdicts, rules, strict=True) if isinstance(rule, Rule)), path


@pytest.mark.slow  # every field in every wrong form
@pytest.mark.parametrize("document", GOOD, ids=_name)
def test_no_malformed_field_ends_a_rule(document: Document) -> None:
    judged = _judge_of(document)
    for path in _fields(document):
        for wrong in (*WRONG, GONE):
            findings = judged(but(document, *path, wrong))
            assert all(finding.rule.name in str(finding) for finding in findings), "every refusal can be written"


@pytest.mark.parametrize("case", sampled([case for case in CASES if len(case.documents) == 1]), ids=str)
def test_one_unknown_field_hides_nothing_that_is_wrong_elsewhere(case: Case) -> None:
    document = {**case.documents[0], "unrelated": {"later": UNKNOWN}}

    assert engine_verdict(case.rule, document) == engine_verdict(case.rule, case.documents[0])
