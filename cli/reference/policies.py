"""The rules of the policy pack on one page; each heading is a rule's name, so that a refusal leads here."""

from __future__ import annotations

from cli.reference.markdown import code, generated, table
from policies.rule import Rule, StackRule
from policies.rules import RULES, STACK_RULES

_ABOUT = """
Every rule is mandatory: one finding fails the preview, and nothing is made. A refusal names the rule, the thing, what
was given, what is allowed and what to change. Run the pack against a stack on this machine with
`make preview STACK=dev`, and against AWS with `pulumi preview --policy-pack policies`.

A preview does not know every value yet. A rule judges what is known, and judges again while `pulumi up` runs.

To add a rule, see [CONTRIBUTING](../../CONTRIBUTING.md#add-a-rule).
"""


def page() -> str:
    """The page ``policies.md``."""
    rules = sorted((*RULES, *STACK_RULES), key=lambda rule: rule.name)
    overview = table(
        ("rule", "severity", "about"),
        ((f"[{code(rule.name)}](#{rule.name})", rule.severity.value, _kinds(rule)) for rule in rules),
    )
    return "".join((generated("Policies", "policies/rules"), _ABOUT, "\n", overview, *map(_rule, rules)))


def _rule(rule: Rule | StackRule) -> str:
    scope = "It judges the whole stack at once.\n\n" if isinstance(rule, StackRule) else ""
    return (
        f"\n## {rule.name}\n\n{rule.description}\n\n{scope}"
        f"- Severity: {rule.severity.value}\n- About: {_kinds(rule)}\n- What to do: {rule.remediation}\n"
    )


def _kinds(rule: Rule | StackRule) -> str:
    return ", ".join(code(str(kind)) for kind in rule.kinds)
