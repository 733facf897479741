"""Priorities: the standard's classes mean what the standard says, and none is the cluster's default."""

from __future__ import annotations

from collections.abc import Iterable

from gpuplatform.faults import Fault
from gpuplatform.standard.priorities import PREEMPTION_POLICY, priority
from policies.cel import PLATFORMS_OWN
from policies.rule import Rule, Severity
from policies.subject import PRIORITY_CLASS, UNKNOWN, Subject, at, quoted


def _class_values(subject: Subject) -> Iterable[Fault]:
    standard = priority(subject.name)
    if standard is None:
        return []
    faults: list[Fault] = []
    value, policy = at(subject.body, "value"), at(subject.body, "preemptionPolicy")
    if value is not UNKNOWN and (value != standard.value or isinstance(value, bool)):
        allowed = f"{standard.value}, the standard's value of {standard.name}"
        faults.append(Fault("value", quoted(value), allowed, f"set value to {standard.value}"))
    if policy not in (None, PREEMPTION_POLICY, UNKNOWN):
        allowed = f"{PREEMPTION_POLICY}: {standard.meaning}"
        faults.append(Fault("preemptionPolicy", quoted(policy), allowed, f"set it to {PREEMPTION_POLICY}"))
    return faults


def _default_class(subject: Subject) -> Iterable[Fault]:
    default = at(subject.body, "globalDefault")
    if default in (None, False, UNKNOWN):
        return []
    allowed = "false: a default gives every unclassified pod of the cluster this priority, and lets it preempt others"
    return [Fault("globalDefault", quoted(default), allowed, "set globalDefault: false")]


PRIORITY_CLASS_STANDARD = Rule(
    name="priority-class-standard",
    description="The standard's priority classes have its values, and may preempt lower priorities.",
    severity=Severity.HIGH,
    remediation=f"Write the standard's value, and preemptionPolicy: {PREEMPTION_POLICY}.",
    kinds=(PRIORITY_CLASS,),
    judge=_class_values,
    admission=PLATFORMS_OWN,
)

PRIORITY_CLASS_NOT_DEFAULT = Rule(
    name="priority-class-not-default",
    description="No priority class of the platform is the cluster's default.",
    severity=Severity.HIGH,
    remediation="Set globalDefault: false; pods name their class.",
    kinds=(PRIORITY_CLASS,),
    judge=_default_class,
    admission=PLATFORMS_OWN,
)

RULES = (PRIORITY_CLASS_STANDARD, PRIORITY_CLASS_NOT_DEFAULT)
