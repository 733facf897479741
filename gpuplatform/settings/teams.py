"""What belongs to a team: the pools its quotas are meant for, and which of its namespaces train (Q1, B5)."""

from __future__ import annotations

from collections.abc import Iterable

from gpuplatform.settings.pools import Pool
from gpuplatform.settings.tenants import Namespace, Tenant
from gpuplatform.standard.labels import Purpose
from gpuplatform.standard.priorities import priority


def pools_of(namespace: Namespace, pools: Iterable[Pool]) -> tuple[Pool, ...]:
    """The pools it names, else those that are for what its priorities are for; in the order of the file."""
    purposes = {found.purpose for name in namespace.priorities if (found := priority(name))}
    return tuple(
        pool
        for pool in pools
        if (pool.name in namespace.pools if namespace.pools else pool.purpose in purposes) and not pool.dra
    )


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
