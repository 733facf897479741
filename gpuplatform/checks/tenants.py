"""Checks of tenants: groups, queues, quotas, priorities, pools, network exceptions and the names of their roles."""

from __future__ import annotations

from gpuplatform.faults import Fault, warning
from gpuplatform.plan.node_pools import offered_resources
from gpuplatform.plan.teams import guaranteed, queued
from gpuplatform.settings.partial import PartialSettings
from gpuplatform.settings.tenants import Namespace, Queue, Tenant
from gpuplatform.standard import resources
from gpuplatform.standard.names import MAX_ROLE_NAME, PLATFORM_PREFIX, Allowed, team_role, workload_role
from gpuplatform.standard.priorities import PRIORITIES, priority

_RESERVED_GROUP_PREFIXES = ("system:", PLATFORM_PREFIX)
"""Prefixes of groups that belong to Kubernetes or to the platform, such as the break-glass group."""


def check_tenants(settings: PartialSettings) -> list[Fault]:
    """Faults of each tenant."""
    pool_resources = offered_resources(settings.pools, settings.neuron_pools)
    faults: list[Fault] = []
    for tenant in settings.tenants:
        faults += _reserved_groups(tenant)
        faults += _without_access(tenant, settings)
        faults += _queue(tenant, settings)
        for namespace in tenant.namespaces:
            faults += _named_pools(tenant, namespace, settings)
            faults += _namespace(tenant, namespace, pool_resources, settings.broken_pools_text)
            faults += _network(tenant, namespace, settings)
            faults += _role_name(tenant, namespace, settings)
    return faults


def _reserved_groups(tenant: Tenant) -> list[Fault]:
    """Faults of reserved groups: for example, no admission rule applies to members of the break-glass group."""
    return [
        Fault(
            f"tenants[{tenant.name}].groups",
            group,
            f"a group of the team, whose name does not begin with {' or '.join(_RESERVED_GROUP_PREFIXES)}",
            "name another group",
        )
        for group in tenant.groups
        if group.startswith(_RESERVED_GROUP_PREFIXES)
    ]


def _without_access(tenant: Tenant, settings: PartialSettings) -> list[Fault]:
    """Warnings for groups that no access entry names: their members get access only from another source."""
    if settings.cluster is None or settings.lacks("cluster.access_entries"):
        return []
    entry_groups = sorted({group for entry in settings.cluster.access_entries for group in entry.groups})
    return [
        warning(
            f"tenants[{tenant.name}].groups",
            f"{group}, which no access entry names",
            f"groups of cluster.access_entries: {', '.join(entry_groups) or 'none'}",
            "correct its name, or add an access entry with level groups that names it",
        )
        for group in tenant.groups
        if group not in entry_groups and not group.startswith(_RESERVED_GROUP_PREFIXES)
    ]


def _network(tenant: Tenant, namespace: Namespace, settings: PartialSettings) -> list[Fault]:
    """Faults of exceptions without exactly one other side, or with the name of another policy of the namespace."""
    path, faults = f"tenants[{tenant.name}].namespaces[{namespace.name}].network", list[Fault]()
    policy_names = [str(policy) for policy in Allowed]
    for network_exception in namespace.network:
        if network_exception.name in policy_names:
            allowed = f"a name that no other policy of the namespace has: not {', '.join(policy_names)}"
            faults.append(
                Fault(f"{path}[{network_exception.name}].name", network_exception.name, allowed, "choose another name")
            )
        policy_names.append(network_exception.name)
        sides = [
            name
            for name, side in (("namespace", network_exception.namespace), ("cidr", network_exception.cidr))
            if side is not None
        ]
        if len(sides) != 1 and not any(
            settings.lacks(f"{path}[{network_exception.name}].{side}") for side in ("namespace", "cidr")
        ):
            both, change = " and ".join(sides) or "no other side", "name one of them"
            faults.append(Fault(f"{path}[{network_exception.name}]", both, "either a namespace or a cidr", change))
    return faults


def _role_name(tenant: Tenant, namespace: Namespace, settings: PartialSettings) -> list[Fault]:
    """Faults of namespaces with buckets whose IAM role, named after cluster and namespace, gets too long a name."""
    role = workload_role(settings.cluster.name, namespace.name) if settings.cluster else ""
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


def _named_pools(tenant: Tenant, namespace: Namespace, settings: PartialSettings) -> list[Fault]:
    """Faults of pools that a namespace names and that are neither GPU nor Neuron pools of the stack."""
    usable = [pool.name for pool in (*settings.pools, *settings.neuron_pools)]
    open_to_all = [pool.name for pool in settings.cpu_pools]
    return [
        Fault(
            f"tenants[{tenant.name}].namespaces[{namespace.name}].pools",
            f"{name}, a CPU pool" if name in open_to_all else name,
            f"GPU and Neuron pools of the stack: {', '.join(usable)}",
            "remove it: CPU pools are open to all" if name in open_to_all else "name one of those",
        )
        for name in namespace.pools
        if name not in usable and name not in settings.broken_pools_text and not settings.lacks(f"neuron_pools[{name}]")
    ]


def _queue(tenant: Tenant, settings: PartialSettings) -> list[Fault]:
    """Faults of a team that borrows a resource without a quota of it, or that keeps more than its quota."""
    path, quotas = f"tenants[{tenant.name}].queue", guaranteed(queued(tenant))
    if tenant.queue != Queue() and not queued(tenant):
        return [
            Fault(
                path,
                "a queue",
                "no queue, because no namespace of the team is queued",
                "set scheduling: queued on a namespace",
            )
        ]
    if any(
        settings.lacks(f"tenants[{tenant.name}].namespaces[{namespace.name}].quota") for namespace in tenant.namespaces
    ):
        return []  # a quota could not be read
    return [
        Fault(f"{path}.keep[{resource}]", str(amount), f"at most {quotas.get(resource, 0)}, its quota", "keep less")
        for resource, amount in tenant.queue.keep.items()
        if amount > quotas.get(resource, 0)
    ] + [
        Fault(
            f"{path}.borrow[{resource}]",
            f"{amount} of a resource without a quota of the team",
            f"resources of its queued namespaces: {', '.join(quotas) or 'none'}",
            "give a queued namespace a quota of it; 0 guarantees nothing",
        )
        for resource, amount in tenant.queue.borrow.items()
        if amount and not any(_names(namespace, resource) for namespace in queued(tenant))
    ]


def _names(namespace: Namespace, resource: str) -> bool:
    """Whether a namespace has a quota of a resource. A quota with a ResourceQuota's prefix is refused elsewhere."""
    return resource in namespace.quota or resources.quota_key(resource) in namespace.quota


def _account(tenant: Tenant, namespace: Namespace, path: str) -> list[Fault]:
    """A fault of a service account with the name of the team's Role: its own Role has the same name and namespace."""
    if namespace.service_account != team_role(tenant.name):
        return []
    allowed = f"a name other than that of the team's Role, {team_role(tenant.name)}"
    return [Fault(f"{path}.service_account", namespace.service_account, allowed, "choose another name")]


def _not_offered(path: str, resource: str, amount: int, pool_resources: frozenset[str]) -> Fault:
    bare_resource = next((name for name in pool_resources if resources.quota_key(name) == resource), None)
    if bare_resource is not None:
        return Fault(
            path, resource, f"{bare_resource}: the platform adds the ResourceQuota's prefix", f"write {bare_resource}"
        )
    return Fault(
        path,
        f"{amount} of a resource that no pool offers",
        f"resources of the pools: {', '.join(sorted(pool_resources)) or 'none'}",
        "add a pool that offers the resource, or remove the quota",
    )


def _namespace(
    tenant: Tenant, namespace: Namespace, pool_resources: frozenset[str], broken_pools_text: str
) -> list[Fault]:
    path = f"tenants[{tenant.name}].namespaces[{namespace.name}]"
    faults = _account(tenant, namespace, path) + [
        _not_offered(f"{path}.quota[{resource}]", resource, amount, pool_resources)
        for resource, amount in namespace.quota.items()
        if resource not in pool_resources and resource.removeprefix(resources.MIG_PREFIX) not in broken_pools_text
    ]
    return faults + [
        Fault(
            f"{path}.priorities",
            name,
            f"one of {', '.join(priority_class.name for priority_class in PRIORITIES)}",
            "choose one of those",
        )
        for name in namespace.priorities
        if priority(name) is None
    ]
