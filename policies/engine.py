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


def policy_of(rule: Rule | StackRule) -> Policy:
    """A rule as the engine runs it: mandatory, with its severity, its remedy and its page."""
    return _resource_policy(rule) if isinstance(rule, Rule) else _stack_policy(rule)


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


def _stack_policy(rule: StackRule) -> StackValidationPolicy:
    def validate(args: StackValidationArgs, report_violation: ReportViolation) -> None:
        read = [
            (subject_of(each), each.urn) for each in args.resources if rule.applies_to(_type_alone(each.resource_type))
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
