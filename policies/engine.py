"""The adapter between the rules and the policy engine: plain data in, reports out.

The engine's proxies raise at every value that a preview does not know yet, and skip the rest of that rule. Here such a
value becomes ``UNKNOWN`` first, so that a rule judges what is known and one unknown field hides nothing else.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import cast

from pulumi_policy import (
    EnforcementLevel,
    Policy,
    PolicyResource,
    ReportViolation,
    ResourceValidationArgs,
    ResourceValidationPolicy,
    Severity,
    StackValidationArgs,
    StackValidationPolicy,
)
from pulumi_policy.proxy import UnknownValueError

from gpuplatform.faults import errors
from policies.rule import Rule, StackRule
from policies.subject import UNKNOWN, Subject, of_resource

_PAGES = "docs/reference/policies.md"
NOTING = "stack-rules-read-inputs"
"""The one policy that is no rule."""


class Noted:
    """The inputs of this run's resources that stack rules read.

    The engine hands a stack rule outputs, and at a first preview every output inside a cluster that is not there yet
    is unknown, so that the rule would see nothing. Inputs are known, so they are kept as each resource is judged.
    """

    def __init__(self, rules: Sequence[StackRule]) -> None:
        self._rules = tuple(rules)
        self._subjects: dict[str, Subject] = {}

    def note(self, args: ResourceValidationArgs) -> None:
        """Keep a resource's inputs, where a stack rule reads its kind."""
        alone = _type_alone(args.resource_type)
        if any(rule.applies_to(alone) for rule in self._rules):
            self._subjects[args.urn] = subject_of(args)

    def subject(self, resource: PolicyResource) -> Subject:
        """A resource of the whole stack by its inputs; by its outputs where they were not seen."""
        noted = self._subjects.get(resource.urn)
        # The program's own root has no inputs: what it publishes is all there is of it.
        return noted if noted is not None and noted.body else subject_of(resource)


def noting_policy(noted: Noted) -> ResourceValidationPolicy:
    """The policy that refuses nothing and keeps what the stack rules judge."""
    return ResourceValidationPolicy(
        name=NOTING,
        description="Keeps the inputs that rules about the whole stack judge; it refuses nothing.",
        validate=lambda args, _: noted.note(args),
        enforcement_level=EnforcementLevel.ADVISORY,
    )


def policies_of(rules: Sequence[Rule], stack_rules: Sequence[StackRule]) -> list[Policy]:
    """The rules as the engine runs them: mandatory, each with its severity, its remedy and its page."""
    noted = Noted(stack_rules)
    return [
        noting_policy(noted),
        *(_resource_policy(rule) for rule in rules),
        *(_stack_policy(rule, noted) for rule in stack_rules),
    ]


def subject_of(resource: ResourceValidationArgs | PolicyResource) -> Subject:
    """A resource as the engine shows it, as a subject."""
    props = cast("Mapping[str, object]", resource.props)
    return of_resource(resource.resource_type, resource.name, _known_parts(props))


def _resource_policy(rule: Rule) -> ResourceValidationPolicy:
    def validate(args: ResourceValidationArgs, report_violation: ReportViolation) -> None:
        if not rule.applies_to(_type_alone(args.resource_type)):
            return
        subject = subject_of(args)
        for fault in errors(rule.judge(subject)):
            report_violation(f"{subject}: {fault}", None)

    return ResourceValidationPolicy(
        name=rule.name,
        description=rule.description,
        validate=validate,
        enforcement_level=EnforcementLevel.MANDATORY,
        severity=Severity(rule.severity.value),
        remediation_steps=rule.remediation,
        url=f"{_PAGES}#{rule.name}",
    )


def _stack_policy(rule: StackRule, noted: Noted) -> StackValidationPolicy:
    def validate(args: StackValidationArgs, report_violation: ReportViolation) -> None:
        read = [
            (noted.subject(each), each.urn)
            for each in args.resources
            if rule.applies_to(_type_alone(each.resource_type))
        ]
        urns = {id(subject): urn for subject, urn in read}
        for subject, fault in rule.judge([subject for subject, _ in read]):
            if errors([fault]):
                report_violation(f"{subject}: {fault}", urns[id(subject)])

    return StackValidationPolicy(
        name=rule.name,
        description=rule.description,
        validate=validate,
        enforcement_level=EnforcementLevel.MANDATORY,
        severity=Severity(rule.severity.value),
        remediation_steps=rule.remediation,
        url=f"{_PAGES}#{rule.name}",
    )


@functools.cache
def _type_alone(token: str) -> Subject:
    """A resource of that type with nothing in it: enough to see which rules are about it."""
    return of_resource(token, "", {})


def _known_parts(props: Mapping[str, object]) -> dict[str, object]:
    """The engine's mapping as a dict, with UNKNOWN where reading a value raises."""
    return {key: _read(props, key) for key in props}


def _read(holder: Mapping[str, object] | Sequence[object], key: str | int) -> object:
    try:
        value = cast("Mapping[str | int, object]", holder)[key]
    except UnknownValueError:
        return UNKNOWN
    if isinstance(value, Mapping):
        return _known_parts(cast("Mapping[str, object]", value))
    if isinstance(value, Sequence) and not isinstance(value, str):
        listed = cast("Sequence[object]", value)
        return [_read(listed, index) for index in range(len(listed))]
    return value
