"""Every rule states where it is enforced, and why it is not enforced elsewhere."""

from __future__ import annotations

import pytest

from policies.admission.documents import rules_of
from policies.admission.scopes import SCOPES
from policies.cel import Cel
from policies.enforcers import ListedRule, enforcement, every_rule
from policies.rules import RULES, STACK_RULES

every = pytest.mark.parametrize("rule", every_rule(), ids=lambda rule: rule.name)


@every
def test_a_rule_is_held_by_somebody_and_whoever_does_not_says_why(rule: ListedRule) -> None:
    enforcers = tuple(enforcement(rule))
    assert [enforcer.by for enforcer in enforcers] == ["lint", "pack", "admission"]
    assert any(enforcer.enforces for enforcer in enforcers)
    assert all(enforcer.enforces or enforcer.note for enforcer in enforcers)


def test_the_pack_holds_exactly_the_rules_that_it_runs() -> None:
    held = {
        rule.name
        for rule in every_rule()
        for enforcer in enforcement(rule)
        if enforcer.by == "pack" and enforcer.enforces
    }
    assert held == {rule.name for rule in (*RULES, *STACK_RULES)}


@every
def test_a_rule_that_the_api_server_holds_is_in_a_policy_of_its_kinds(rule: ListedRule) -> None:
    scopes = [scope.name for scope in SCOPES if rule in [admitted for admitted, _ in rules_of(scope)]]
    assert bool(scopes) == isinstance(rule.admission, Cel)


def test_names_are_unique_so_that_a_refusal_leads_to_one_page() -> None:
    names = [rule.name for rule in every_rule()]
    assert len(names) == len(set(names))
