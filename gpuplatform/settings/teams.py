"""What belongs to a team: the pools its quotas are meant for, which of its namespaces train or wait (Q1, Q6, B5).

The capacity proof and the queues both start here, so that they divide the same numbers.
"""

from __future__ import annotations

from collections.abc import Iterable

from gpuplatform.settings.pools import Pool
from gpuplatform.settings.tenants import Namespace, Scheduling, Tenant
from gpuplatform.standard.labels import Purpose
from gpuplatform.standard.priorities import priority


def meant_for(namespace: Namespace, pools: Iterable[Pool]) -> tuple[Pool, ...]:
    """The pools it names, else those that are for what its priorities are for; in the order of the file."""
    purposes = {found.purpose for name in namespace.priorities if (found := priority(name))}
    return tuple(
        pool for pool in pools if (pool.name in namespace.pools if namespace.pools else pool.purpose in purposes)
    )


def pools_of(namespace: Namespace, pools: Iterable[Pool]) -> tuple[Pool, ...]:
    """Those of them whose cards are counted, so that a quota can hold them."""
    return tuple(pool for pool in meant_for(namespace, pools) if not pool.dra)


def queued(tenant: Tenant) -> tuple[Namespace, ...]:
    """The team's namespaces that Kueue looks after."""
    return tuple(each for each in tenant.namespaces if each.scheduling is Scheduling.QUEUED)


def training(tenant: Tenant) -> tuple[Namespace, ...]:
    """The team's namespaces that may train: their jobs can be of several pods that start together."""
    return tuple(
        each
        for each in tenant.namespaces
        if any((found := priority(name)) and found.purpose is Purpose.TRAIN for name in each.priorities)
    )


def guaranteed(namespaces: Iterable[Namespace]) -> dict[str, int]:
    """The sum of their quotas, by resource; zeros are left out."""
    sums: dict[str, int] = {}
    for namespace in namespaces:
        for resource, amount in namespace.quota.items():
            sums[resource] = sums.get(resource, 0) + amount
    return {resource: amount for resource, amount in sums.items() if amount}


def limit(tenant: Tenant, namespace: Namespace, resource: str) -> int:
    """The most of a resource that a namespace holds at one time: its quota, and what its team may borrow."""
    borrowed = tenant.queue.borrow.get(resource, 0) if namespace.scheduling is Scheduling.QUEUED else 0
    return namespace.quota.get(resource, 0) + borrowed
