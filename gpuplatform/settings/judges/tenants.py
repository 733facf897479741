"""Tenants: quotas for resources that some pool offers, priorities that exist, groups that are their own."""

from __future__ import annotations

from gpuplatform.faults import Fault
from gpuplatform.settings.draft import Draft
from gpuplatform.settings.plan import offered_resources
from gpuplatform.settings.tenants import Namespace, Tenant
from gpuplatform.standard import resources
from gpuplatform.standard.names import team_role
from gpuplatform.standard.priorities import PRIORITIES, priority


def judge(draft: Draft) -> list[Fault]:
    """What is wrong in each tenant and between them."""
    offered = offered_resources(draft.pools, draft.neuron_pools)
    faults: list[Fault] = []
    for tenant in draft.tenants:
        faults += [
            Fault(f"tenants[{tenant.name}].groups", group, "no system: group", "name your own")
            for group in tenant.groups
            if group.startswith("system:")
        ]
        for namespace in tenant.namespaces:
            faults += _namespace(tenant, namespace, offered, draft.broken_pools_text)
    return faults


def _account(tenant: Tenant, namespace: Namespace, path: str) -> list[Fault]:
    """The team's own Role and its service account's Role stand in one namespace, each under its subject's name."""
    if namespace.service_account != team_role(tenant.name):
        return []
    allowed = f"a name other than the team's own Role, {team_role(tenant.name)}"
    return [Fault(f"{path}.service_account", namespace.service_account, allowed, "choose another name")]


def _namespace(tenant: Tenant, namespace: Namespace, offered: frozenset[str], unjudged: str) -> list[Fault]:
    path = f"tenants[{tenant.name}].namespaces[{namespace.name}]"
    faults = _account(tenant, namespace, path) + [
        Fault(
            f"{path}.quota[{resource}]",
            f"{amount} of a resource that no pool offers",
            f"resources of the pools: {', '.join(sorted(offered)) or 'none'}",
            "add a pool that offers it, or remove the line",
        )
        for resource, amount in namespace.quota.items()
        if resource not in offered and resource.removeprefix(resources.MIG_PREFIX) not in unjudged
    ]
    return faults + [
        Fault(
            f"{path}.priorities", name, f"one of {', '.join(each.name for each in PRIORITIES)}", "choose one of those"
        )
        for name in namespace.priorities
        if priority(name) is None
    ]
