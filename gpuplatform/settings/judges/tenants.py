"""Tenants: quotas for resources that some pool offers, priorities that exist, groups that are their own."""

from __future__ import annotations

from gpuplatform.faults import Fault, warning
from gpuplatform.settings.draft import Draft
from gpuplatform.settings.plan import offered_resources
from gpuplatform.settings.teams import guaranteed, queued
from gpuplatform.settings.tenants import Namespace, Queue, Tenant
from gpuplatform.standard import resources
from gpuplatform.standard.names import MAX_ROLE_NAME, PLATFORM_PREFIX, Allowed, team_role, workload_role
from gpuplatform.standard.priorities import PRIORITIES, priority

_RESERVED_GROUP_PREFIXES = ("system:", PLATFORM_PREFIX)
"""Kubernetes' own groups, and those that the platform gives a meaning: the break-glass group is one."""


def judge(draft: Draft) -> list[Fault]:
    """What is wrong in each tenant and between them."""
    offered = offered_resources(draft.pools, draft.neuron_pools)
    faults: list[Fault] = []
    for tenant in draft.tenants:
        faults += _reserved_groups(tenant)
        faults += _ungiven(tenant, draft)
        faults += _queue(tenant, draft)
        for namespace in tenant.namespaces:
            faults += _named_pools(tenant, namespace, draft)
            faults += _namespace(tenant, namespace, offered, draft.broken_pools_text)
            faults += _network(tenant, namespace, draft)
            faults += _role_name(tenant, namespace, draft)
    return faults


def _reserved_groups(tenant: Tenant) -> list[Fault]:
    """Groups of Kubernetes, and of the platform: a member of the break-glass group is held by no admission rule."""
    return [
        Fault(
            f"tenants[{tenant.name}].groups",
            group,
            f"a group of the team's own, whose name does not begin with {' or '.join(_RESERVED_GROUP_PREFIXES)}",
            "name another group",
        )
        for group in tenant.groups
        if group.startswith(_RESERVED_GROUP_PREFIXES)
    ]


def _ungiven(tenant: Tenant, draft: Draft) -> list[Fault]:
    """Groups that no access entry gives: whoever is meant enters only if something else gives them."""
    if draft.cluster is None or draft.lacks("cluster.access_entries"):
        return []
    given = sorted({group for entry in draft.cluster.access_entries for group in entry.groups})
    return [
        warning(
            f"tenants[{tenant.name}].groups",
            f"{group}, which no access entry gives",
            f"groups of cluster.access_entries: {', '.join(given) or 'none'}",
            "mend its name, or add an access entry with level groups that gives it",
        )
        for group in tenant.groups
        if group not in given and not group.startswith(_RESERVED_GROUP_PREFIXES)
    ]


def _network(tenant: Tenant, namespace: Namespace, draft: Draft) -> list[Fault]:
    """Each exception has one other side, and a name that no policy of the namespace has."""
    path, faults = f"tenants[{tenant.name}].namespaces[{namespace.name}].network", list[Fault]()
    taken = [str(each) for each in Allowed]
    for each in namespace.network:
        if each.name in taken:
            allowed = f"a name that no policy of the namespace has: not {', '.join(taken)}"
            faults.append(Fault(f"{path}[{each.name}].name", each.name, allowed, "choose another name"))
        taken.append(each.name)
        sides = [name for name, side in (("namespace", each.namespace), ("cidr", each.cidr)) if side is not None]
        if len(sides) != 1 and not any(draft.lacks(f"{path}[{each.name}].{side}") for side in ("namespace", "cidr")):
            given, change = " and ".join(sides) or "no other side", "name one of them"
            faults.append(Fault(f"{path}[{each.name}]", given, "either a namespace or a cidr", change))
    return faults


def _role_name(tenant: Tenant, namespace: Namespace, draft: Draft) -> list[Fault]:
    """The IAM role of a namespace that reaches buckets carries the cluster's name and its own."""
    role = workload_role(draft.cluster.name, namespace.name) if draft.cluster else ""
    if not namespace.buckets or len(role) <= MAX_ROLE_NAME:
        return []
    return [
        Fault(
            f"tenants[{tenant.name}].namespaces[{namespace.name}].buckets",
            f"the IAM role {role!r} of {len(role)} characters",
            f"at most {MAX_ROLE_NAME}",
            "shorten the namespace's or the cluster's name",
        )
    ]


def _named_pools(tenant: Tenant, namespace: Namespace, draft: Draft) -> list[Fault]:
    """Every pool that a namespace names is one that has to be named: of GPUs or of Neuron devices."""
    usable = [pool.name for pool in (*draft.pools, *draft.neuron_pools)]
    open_to_all = [pool.name for pool in draft.cpu_pools]
    return [
        Fault(
            f"tenants[{tenant.name}].namespaces[{namespace.name}].pools",
            f"{name}, a CPU pool" if name in open_to_all else name,
            f"GPU and Neuron pools of the stack: {', '.join(usable)}",
            "remove it: CPU pools are open to all" if name in open_to_all else "name one of those",
        )
        for name in namespace.pools
        if name not in usable and name not in draft.broken_pools_text and not draft.lacks(f"neuron_pools[{name}]")
    ]


def _queue(tenant: Tenant, draft: Draft) -> list[Fault]:
    """A team borrows what its queue knows, and keeps no more than it has."""
    path, own = f"tenants[{tenant.name}].queue", guaranteed(queued(tenant))
    if tenant.queue != Queue() and not queued(tenant):
        return [Fault(path, "a queue", "none, as no namespace is queued", "write `scheduling: queued` on one")]
    if any(draft.lacks(f"tenants[{tenant.name}].namespaces[{each.name}].quota") for each in tenant.namespaces):
        return []  # its quotas are not known
    return [
        Fault(f"{path}.keep[{resource}]", str(amount), f"at most {own.get(resource, 0)}, its quota", "keep less")
        for resource, amount in tenant.queue.keep.items()
        if amount > own.get(resource, 0)
    ] + [
        Fault(
            f"{path}.borrow[{resource}]",
            f"{amount} of a resource of which it has no quota",
            f"resources of its queued namespaces: {', '.join(own) or 'none'}",
            "give a queued namespace a quota of it, 0 where nothing is guaranteed",
        )
        for resource, amount in tenant.queue.borrow.items()
        if amount and not any(_names(each, resource) for each in queued(tenant))
    ]


def _names(namespace: Namespace, resource: str) -> bool:
    """Whether a quota is about a resource; one with a ResourceQuota's prefix is refused where it stands."""
    return resource in namespace.quota or resources.quota_key(resource) in namespace.quota


def _account(tenant: Tenant, namespace: Namespace, path: str) -> list[Fault]:
    """The team's own Role and its service account's Role stand in one namespace, each under its subject's name."""
    if namespace.service_account != team_role(tenant.name):
        return []
    allowed = f"a name other than the team's own Role, {team_role(tenant.name)}"
    return [Fault(f"{path}.service_account", namespace.service_account, allowed, "choose another name")]


def _not_offered(path: str, resource: str, amount: int, offered: frozenset[str]) -> Fault:
    bare = next((each for each in offered if resources.quota_key(each) == resource), None)
    if bare is not None:
        return Fault(path, resource, f"{bare}: a ResourceQuota's prefix is added by the platform", f"write {bare}")
    return Fault(
        path,
        f"{amount} of a resource that no pool offers",
        f"resources of the pools: {', '.join(sorted(offered)) or 'none'}",
        "add a pool that offers it, or remove the line",
    )


def _namespace(tenant: Tenant, namespace: Namespace, offered: frozenset[str], unjudged: str) -> list[Fault]:
    path = f"tenants[{tenant.name}].namespaces[{namespace.name}]"
    faults = _account(tenant, namespace, path) + [
        _not_offered(f"{path}.quota[{resource}]", resource, amount, offered)
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
