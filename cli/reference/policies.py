"""The rules of the policy pack on one page; each heading is a rule's name, so that a refusal can link to it."""

from __future__ import annotations

from cli.reference.markdown import code, generated, table
from policies.enforcers import Enforcement, ListedRule, enforcement, every_rule
from policies.rule import StackRule, ViewRule
from policies.workloads import WORKLOAD_KINDS

_ABOUT = """
Every rule is mandatory: one finding fails the preview, and nothing is made. A refusal names the rule, the thing, what
was given, what is allowed and what to change. Run the pack against a stack on this machine with
`make preview STACK=dev`, and against AWS with `pulumi preview --policy-pack policies`.

A preview does not know every value yet. A rule judges the values that are known. For each other value it prints an
advisory message that names the rule and the field, and judges it while `pulumi up` runs.

A JSON file can set the enforcement level of each rule: `mandatory`, `advisory` or `disabled`, with `all` for every
rule that is not named.

```json
{"all": "mandatory", "nodepool-weight": "advisory"}
```

`gpuplatform engine preview --stack NAME --policy-levels FILE` takes it on this machine, and
`pulumi preview --policy-pack policies --policy-pack-config FILE` against AWS. An unknown rule or an unknown
level ends the run with one message. `gpuplatform engine levels` prints the file's JSON schema.

`gpuplatform lint` checks manifests against the same rules, where teams review them: see
[the guide](../guides/lint.md). A rule that needs a known stack is judged there, with `--stack`, and not in the engine.

In the cluster the same rules are ValidatingAdmissionPolicies: see [the guide](../guides/admission.md). If one of
the three cannot enforce a rule, or only a part of it, the rule's entry says why.

To add a rule, see [CONTRIBUTING](../../CONTRIBUTING.md#add-a-rule).
"""


def page() -> str:
    """The page ``policies.md``."""
    rules = every_rule()
    overview = table(
        ("rule", "severity", "enforced by", "about"),
        (
            (f"[{code(rule.name)}](#{rule.name})", rule.severity.value, _enforcer_names(rule), _kinds(rule))
            for rule in rules
        ),
    )
    return "".join((generated("Policies", "policies/rules"), _ABOUT, "\n", overview, *map(_rule, rules)))


def _rule(rule: ListedRule) -> str:
    scope = ""
    if isinstance(rule, StackRule):
        scope = "It judges the whole stack at once.\n\n"
    elif isinstance(rule, ViewRule):
        scope = "It needs a stack: `gpuplatform lint --stack NAME` judges it, the policy engine does not.\n\n"
    return (
        f"\n## {rule.name}\n\n{rule.description}\n\n{scope}"
        f"- Severity: {rule.severity.value}\n- About: {_kinds(rule)}\n- What to do: {rule.remediation}\n"
        + "".join(f"- {_enforcement_in_words(enforcer)}\n" for enforcer in enforcement(rule))
    )


def _enforcer_names(rule: ListedRule) -> str:
    return ", ".join(enforcer.by for enforcer in enforcement(rule) if enforcer.enforces)


def _enforcement_in_words(enforcer: Enforcement) -> str:
    if enforcer.enforces:
        return f"Enforced by {enforcer.by}" + (f": {enforcer.note}" if enforcer.note else "")
    return f"Not enforced by {enforcer.by}: {enforcer.note}"


def _kinds(rule: ListedRule) -> str:
    if set(WORKLOAD_KINDS) <= set(rule.kinds):
        kind_names = [str(kind) for kind in rule.kinds if kind not in WORKLOAD_KINDS]
        return ", ".join((*map(code, kind_names), "[every kind of workload](../guides/lint.md#workloads)"))
    return ", ".join(code(str(kind)) for kind in rule.kinds)
