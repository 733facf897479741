"""What belongs to a team: the pools that its namespaces may use, which of them train or wait (Q1, Q6, B5).

Capacity, queues, prices, outputs and what lint and the API server hold pods to all start here, so that a pool is a
namespace's for each of them or for none.
"""

from __future__ import annotations

from collections.abc import Iterable

from gpuplatform.settings.other_pools import NeuronPool
from gpuplatform.settings.pools import Pool
from gpuplatform.settings.tenants import Namespace, Scheduling, Tenant
from gpuplatform.standard import resources
from gpuplatform.standard.labels import Purpose
from gpuplatform.standard.priorities import priority


def meant_for(namespace: Namespace, pools: Iterable[Pool]) -> tuple[Pool, ...]:
    """The GPU pools that it may use: those it names, else those of its priorities' purposes; in the file's order."""
    purposes = {found.purpose for name in namespace.priorities if (found := priority(name))}
    return tuple(
        pool for pool in pools if (pool.name in namespace.pools if namespace.pools else pool.purpose in purposes)
    )


def pools_of(namespace: Namespace, pools: Iterable[Pool]) -> tuple[Pool, ...]:
    """Those of them whose cards are counted, so that a quota can hold them."""
    return tuple(pool for pool in meant_for(namespace, pools) if not pool.dra)


def neuron_pools_of(namespace: Namespace, pools: Iterable[NeuronPool]) -> tuple[NeuronPool, ...]:
    """The Neuron pools that it may use: those it names; where it names no pool at all, every one if it has a quota."""
    has_quota = bool(namespace.quota.get(resources.NEURON))
    return tuple(pool for pool in pools if (pool.name in namespace.pools if namespace.pools else has_quota))


def names_of_pools(namespace: Namespace, pools: Iterable[Pool], neuron_pools: Iterable[NeuronPool]) -> tuple[str, ...]:
    """Every GPU and Neuron pool that it may use, by name; CPU pools are open to all and never among them."""
    return tuple(pool.name for pool in (*meant_for(namespace, pools), *neuron_pools_of(namespace, neuron_pools)))


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
