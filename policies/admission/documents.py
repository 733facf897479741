"""The admission policies and their bindings as Kubernetes objects."""

from __future__ import annotations

from collections.abc import Iterator

from gpuplatform.analysis.placement.view import StackView
from gpuplatform.settings.settings import AdmissionMode
from gpuplatform.standard import keys, names
from policies.admission import parameters
from policies.admission.scopes import SCOPES, Scope
from policies.cel import Cel, literal
from policies.rule import ChangeRule, Rule, ViewRule
from policies.rules import CHANGE_RULES, RULES, VIEW_RULES

Document = dict[str, object]
AdmittedRule = Rule | ViewRule | ChangeRule

_API_VERSION = "admissionregistration.k8s.io/v1"
_ACTIONS: dict[AdmissionMode, list[str]] = {
    AdmissionMode.AUDIT: ["Audit"],
    AdmissionMode.WARN: ["Warn", "Audit"],
    AdmissionMode.DENY: ["Deny", "Audit"],
}
_BREAK_GLASS = f"!({literal(names.BREAK_GLASS_GROUP)} in request.userInfo.groups)"


def admission_documents(view: StackView, mode: AdmissionMode) -> tuple[Document, ...]:
    """The ConfigMap that the policies read, the policies, and the bindings that activate them."""
    return (
        parameters.parameters(view),
        *(_policy(scope) for scope in SCOPES),
        *(_binding(scope, mode) for scope in SCOPES),
    )


def rules_of(scope: Scope) -> Iterator[tuple[AdmittedRule, Cel]]:
    """The rules that a policy holds, in the order of the reference."""
    rules: tuple[AdmittedRule, ...] = (*RULES, *VIEW_RULES, *CHANGE_RULES)
    for rule in rules:
        cel = rule.admission
        if (
            isinstance(cel, Cel)
            and set(rule.kinds) & set(scope.kinds)
            and (cel.everywhere or not scope.only_everywhere)
        ):
            yield rule, cel


def _name(scope: Scope) -> str:
    return names.PLATFORM_PREFIX + scope.name


def _policy(scope: Scope) -> Document:
    findings = [_finding(rule, cel) for rule, cel in rules_of(scope)]
    variables = {**scope.variables, "findings": f"[{', '.join(findings)}].filter(f, f != '')"}
    conditions = {"not-break-glass": _BREAK_GLASS, **scope.match}
    spec: Document = {
        "failurePolicy": "Fail" if scope.must_answer else "Ignore",
        "matchConstraints": {
            "resourceRules": [
                {
                    "apiGroups": [group],
                    "apiVersions": ["*"],
                    "operations": list(scope.operations),
                    "resources": list(plural),
                }
                for group, plural in scope.resources.items()
            ]
        },
        "matchConditions": [{"name": name, "expression": text} for name, text in conditions.items()],
        "variables": [{"name": name, "expression": text} for name, text in variables.items()],
        # One validation for all rules: the API server reports only the first failure, so this one lists every finding.
        "validations": [
            {
                "expression": "variables.findings.size() == 0",
                "messageExpression": "variables.findings.join(' | ')",
                "reason": "Forbidden",
            }
        ],
    }
    if scope.reads_stack:
        spec["paramKind"] = {"apiVersion": "v1", "kind": "ConfigMap"}
    return {
        "apiVersion": _API_VERSION,
        "kind": "ValidatingAdmissionPolicy",
        "metadata": {"name": _name(scope)},
        "spec": spec,
    }


def _finding(rule: AdmittedRule, cel: Cel) -> str:
    text = literal(f"{rule.name}: {rule.description} {rule.remediation}")
    detail = f' + " " + ({cel.message})' if cel.message else ""
    return f'({cel.condition}) ? "" : {text}{detail}'


def _binding(scope: Scope, mode: AdmissionMode) -> Document:
    spec: Document = {"policyName": _name(scope), "validationActions": _ACTIONS[mode]}
    if scope.reads_stack:
        spec["paramRef"] = {
            "name": parameters.NAME,
            "namespace": parameters.NAMESPACE,
            # Without the ConfigMap the stack is unknown, and evicted work must still be able to start again.
            "parameterNotFoundAction": "Allow",
        }
    if scope.teams_objects is not None:
        operator = "Exists" if scope.teams_objects else "DoesNotExist"
        selector = {"matchExpressions": [{"key": keys.TEAM, "operator": operator}]}
        spec["matchResources"] = {"namespaceSelector": selector}
    return {
        "apiVersion": _API_VERSION,
        "kind": "ValidatingAdmissionPolicyBinding",
        # One binding a mode: validationActions is a set, so server-side apply in a preview, where the provider's first
        # manager of the object still owns it, merges [Deny] and [Warn], and the API server refuses the two together.
        # The engine makes the next mode's binding before it deletes the last one's.
        "metadata": {"name": f"{_name(scope)}-{mode.value}"},
        "spec": spec,
    }
