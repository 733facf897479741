"""Limits of a team's namespace: a quota for every card resource of the stack, and default memory for containers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gpuplatform.faults import Fault
from gpuplatform.standard import resources
from policies.rule import Severity, StackRule
from policies.rules.quotas import offered_resources
from policies.rules.tenancy import faults_without, is_tenant
from policies.subject import (
    CONFIG_MAP,
    NAMESPACE,
    NODE_GROUP,
    NODE_POOL,
    RESOURCE_QUOTA,
    UNKNOWN,
    Kind,
    Subject,
    Unknown,
    at,
    items_at,
    mapping_at,
)

LIMIT_RANGE = Kind("", "LimitRange")


def _missing_limit_range(subjects: Sequence[Subject]) -> Iterable[tuple[Subject, Fault]]:
    fault = Fault(
        "LimitRange",
        "no LimitRange with a default for containers",
        "a LimitRange with default and defaultRequest memory: without a limit a container may use its whole node",
        "add a LimitRange of type Container with default.memory and defaultRequest.memory",
    )
    return faults_without(subjects, LIMIT_RANGE.name, _defaults_memory, fault)


def _defaults_memory(limits: Subject) -> bool:
    limit_list = items_at(limits, "spec", "limits")
    if isinstance(limit_list, Unknown):
        return True
    return any(
        at(limit, "type") in ("Container", UNKNOWN)
        and at(limit, "default", resources.MEMORY) is not None
        and at(limit, "defaultRequest", resources.MEMORY) is not None
        for limit in limit_list
    )


def _incomplete_quotas(subjects: Sequence[Subject]) -> Iterable[tuple[Subject, Fault]]:
    offered = offered_resources(subjects)
    if offered is None:
        return []
    teams = {subject.known_name for subject in subjects if subject.is_a(NAMESPACE) and is_tenant(subject)}
    return [
        (subject, fault)
        for subject in subjects
        if subject.is_a(RESOURCE_QUOTA) and subject.namespace in teams
        for fault in _missing_keys(subject, offered)
    ]


def _missing_keys(quota: Subject, offered: Iterable[str]) -> list[Fault]:
    hard = mapping_at(quota, "spec", "hard")
    quota_keys = [] if isinstance(hard, Unknown) else list(hard)
    if not any(resources.is_card_resource(key.removeprefix(resources.quota_key(""))) for key in quota_keys):
        return []  # it counts something else, such as claims; tenant-quota asks for one that counts cards
    return [
        Fault(
            f"spec.hard[{key}]",
            "no such key",
            "every card resource that the stack's pools offer: a resource that the quota does not name is unlimited",
            f'add {key}, "0" where the team may have none',
        )
        for key in map(resources.quota_key, sorted(offered))
        if key not in quota_keys
    ]


TENANT_LIMIT_RANGE = StackRule(
    name="tenant-limit-range",
    description="Every team's namespace gives memory to containers that ask for none.",
    severity=Severity.MEDIUM,
    remediation="Add a LimitRange of type Container with default.memory and defaultRequest.memory.",
    kinds=(NAMESPACE, LIMIT_RANGE),
    judge=_missing_limit_range,
)

QUOTA_COMPLETE = StackRule(
    name="quota-complete",
    description="A team's quota bounds every card resource that the stack's pools offer.",
    severity=Severity.HIGH,
    remediation='Add the missing key to spec.hard, "0" where the team may have none.',
    kinds=(NAMESPACE, RESOURCE_QUOTA, NODE_POOL, NODE_GROUP, CONFIG_MAP),
    judge=_incomplete_quotas,
)

STACK_RULES = (TENANT_LIMIT_RANGE, QUOTA_COMPLETE)
