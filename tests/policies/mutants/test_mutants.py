"""No mutant survives: the expected judge notices every broken field, and every rule is needed for some mutant."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from policies.rules import CHANGE_RULES, RULES, STACK_RULES, VIEW_RULES
from tests.mutant_counts import MUTANTS
from tests.policies.mutants.breaking import EVERY_RULE, AnyRule
from tests.policies.mutants.corpus import ROWS, corpus, is_noticed, judged, verdict
from tests.policies.mutants.counts import counts
from tests.policies.mutants.sources import SOURCES
from tests.policies.mutants.table import Judge

campaign = pytest.mark.slow
every_source = pytest.mark.parametrize("source", SOURCES)


@campaign
@every_source
def test_every_field_that_a_rule_reads_is_broken_in_every_way(source: str) -> None:
    _, gaps = corpus(source)

    assert gaps == ()


@campaign
@every_source
def test_a_broken_field_is_noticed_by_whom_the_table_expects(
    source: str, record_property: Callable[[str, object], None]
) -> None:
    made, _ = corpus(source)
    survived = [
        f"{mutant}: expected {mutant.expected}, noticed by {', '.join(sorted(by)) or 'nobody'}"
        for mutant in made
        if not is_noticed(mutant, by := verdict(mutant))
    ]

    assert survived == []
    record_property(MUTANTS, dict(counts(made)))


@campaign
@pytest.mark.parametrize("rule", EVERY_RULE, ids=lambda rule: rule.name)
def test_without_the_body_of_a_rule_a_mutant_survives(rule: AnyRule) -> None:
    for source in SOURCES:
        silenced = judged(source).without(rule.name) if rule.name in judged(source).rules else None
        mine = [mutant for mutant in corpus(source)[0] if mutant.expected == rule.name]
        if silenced is not None and any(not is_noticed(mutant, verdict(mutant, silenced)) for mutant in mine):
            return
    pytest.fail(f"no mutant needs {rule.name}")


def test_the_table_names_rules_that_there_are_and_says_why_where_nobody_need_notice() -> None:
    names = {rule.name for rule in (*RULES, *STACK_RULES, *VIEW_RULES, *CHANGE_RULES)}

    assert {str(row.expected) for row in ROWS if not isinstance(row.expected, Judge)} <= names
    assert [row for row in ROWS if (row.expected is Judge.NOBODY) != bool(row.why)] == []


@campaign
def test_no_row_of_the_table_is_idle() -> None:
    made = [mutant for source in SOURCES for mutant in corpus(source)[0]]
    idle = [
        f"{', '.join(map(str, row.kinds[:2]))}: {row.path} {[way.value for way in row.ways]}"
        for row in ROWS
        if not any(row.expected == mutant.expected and row.is_about(mutant.subject, mutant.path) for mutant in made)
    ]

    assert idle == []
