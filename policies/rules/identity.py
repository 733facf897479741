"""Identity: a role names its actions and the services that may assume it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping

from gpuplatform.faults import Fault
from gpuplatform.standard.aws_actions import UNSCOPED_READS
from policies.cel import CLOUD
from policies.rule import Rule, Severity
from policies.subject import Kind, Plain, Subject, Unknown, at, known_items, plain, quoted

POLICY = Kind("", "aws:iam/policy:Policy")
ROLE = Kind("", "aws:iam/role:Role")
_EVERY = "*"
_PODS, _NODES = "pods.eks.amazonaws.com", "ec2.amazonaws.com"


def _statements(subject: Subject, field: str) -> Iterator[tuple[str, Plain]]:
    """The statements of a policy that allow something, each with its path; none if the text is not known yet."""
    text = at(subject.body, field)
    try:
        document = plain(json.loads(text)) if isinstance(text, str) else None
    except ValueError:
        document = None
    for number, statement in enumerate(_as_list(at(document, "Statement"))):
        if at(statement, "Effect") == "Allow":
            yield f"{field}.Statement[{number}]", statement


def _as_list(value: Plain) -> list[Plain]:
    """A policy may write one thing without its list."""
    if isinstance(value, str | Mapping):
        return [value]
    return list(known_items(value))


def _format_faults(subject: Subject, field: str) -> list[Fault]:
    text = at(subject.body, field)
    if isinstance(text, Unknown) or any(_statements(subject, field)):
        return []
    return [Fault(field, quoted(text), "a policy document with statements that allow something", "write the policy")]


def _wide_permissions(subject: Subject) -> Iterable[Fault]:
    faults = _format_faults(subject, "policy")
    for path, statement in _statements(subject, "policy"):
        actions = _as_list(at(statement, "Action"))
        wildcards = [action for action in actions if isinstance(action, str) and action.endswith(_EVERY)]
        faults += [
            Fault(f"{path}.Action", quoted(action), "actions by their names", "name the actions that are needed")
            for action in (*wildcards, *(["NotAction"] if at(statement, "NotAction") is not None else []))
        ]
        is_unscoped = at(statement, "Condition") is None and _EVERY in _as_list(at(statement, "Resource"))
        other_actions = [action for action in actions if str(action) not in UNSCOPED_READS]
        if (is_unscoped and other_actions) or at(statement, "NotResource") is not None:
            allowed = (
                f"resources by ARN, or a condition; only for these does AWS accept no ARN: {', '.join(UNSCOPED_READS)}"
            )
            named = ", ".join(map(str, other_actions))
            faults.append(Fault(f"{path}.Resource", f"every resource for {named}", allowed, "name the resources"))
    return faults


def _wide_trust(subject: Subject) -> Iterable[Fault]:
    field = "assumeRolePolicy"
    faults = _format_faults(subject, field)
    services: set[Plain] = set()
    for path, statement in _statements(subject, field):
        principal = at(statement, "Principal")
        service_names = _as_list(at(principal, "Service"))
        services.update(service_names)
        has_only_services = isinstance(principal, Mapping) and list(principal) == ["Service"]
        if not has_only_services or not service_names or _EVERY in service_names:
            allowed = "AWS services by name: no one else may assume a role of the platform"
            faults.append(Fault(f"{path}.Principal", quoted(principal), allowed, "name the service"))
    if {_PODS, _NODES} <= services:
        allowed = (
            "a role for pods or a role for nodes: a pod that can assume the node's role has all of the node's rights"
        )
        faults.append(Fault(field, f"{_PODS} and {_NODES}", allowed, "make two roles"))
    return faults


IAM_ACTIONS_NAMED = Rule(
    name="iam-actions-named",
    description="A policy of the account names its actions and its resources, or bounds them by a condition.",
    severity=Severity.CRITICAL,
    remediation="Name actions and ARNs; only the standard's list of unscoped reads needs no ARN.",
    kinds=(POLICY,),
    judge=_wide_permissions,
    admission=CLOUD,
)

ROLE_TRUST_NAMED = Rule(
    name="role-trust-named",
    description="A role trusts only AWS services that it names, and never both pods and nodes.",
    severity=Severity.CRITICAL,
    remediation="Name one service as the principal; give pods a role of their own by Pod Identity.",
    kinds=(ROLE,),
    judge=_wide_trust,
    admission=CLOUD,
)

RULES = (IAM_ACTIONS_NAMED, ROLE_TRUST_NAMED)
