"""Which of lint, the pack and the API server enforces a rule, and the reason if one of them does not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from policies.cel import Cel
from policies.lint.judging import STACK_RULES as STACK_RULES_OF_LINT
from policies.rule import ChangeRule, Rule, StackRule, ViewRule
from policies.rules import CHANGE_RULES, RULES, STACK_RULES, VIEW_RULES
from policies.rules.immutable_labels import GPU_LABELS_FIXED
from policies.subject import PART_SEPARATOR

ListedRule: TypeAlias = Rule | StackRule | ViewRule | ChangeRule


@dataclass(frozen=True, slots=True)
class Enforcement:
    """One of the three, and whether it enforces a rule."""

    by: str
    enforces: bool
    note: str
    """The reason if it does not, or the part that it leaves out; else empty."""


def every_rule() -> tuple[ListedRule, ...]:
    """All rules, by name."""
    return tuple(sorted((*RULES, *STACK_RULES, *VIEW_RULES, *CHANGE_RULES), key=lambda rule: rule.name))


def enforcement(rule: ListedRule) -> Iterator[Enforcement]:
    """Lint, the pack and admission, in the order in which they check a change."""
    why = _not_linted(rule)
    yield Enforcement("lint", not why, why or ("with `--stack`" if isinstance(rule, ViewRule) else ""))
    why = _not_in_pack(rule)
    yield Enforcement("pack", not why, why)
    cel = rule.admission
    if isinstance(cel, Cel):
        yield Enforcement("admission", True, f"all but {cel.gap}" if cel.gap else "")
    else:
        yield Enforcement("admission", False, cel.reason)


def _not_linted(rule: ListedRule) -> str:
    match rule:
        case ChangeRule():
            return "a file does not show the object's earlier state"
        case StackRule() if rule not in STACK_RULES_OF_LINT:
            return "it compares objects of a whole stack, which a team's repository does not hold"
        case _ if all(PART_SEPARATOR in kind.name for kind in rule.kinds):
            return "it is about a resource of the cloud account, which no manifest describes"
        case _:
            return ""


def _not_in_pack(rule: ListedRule) -> str:
    match rule:
        case ChangeRule() if rule is GPU_LABELS_FIXED:
            return (
                "a policy pack sees no earlier state; the program and `gpuplatform check` ask what the stack published"
            )
        case ChangeRule():
            return "a policy pack sees no earlier state"
        case ViewRule():
            return "a team's program does not hold the pools of the stack that it runs on"
        case _:
            return ""
