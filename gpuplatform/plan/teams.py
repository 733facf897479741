"""The pools that a team's namespaces may use, and which of the namespaces are queued or train.

Capacity, queues, prices, outputs, ``lint`` and the API server's rules all use these functions, so that they agree on
which namespace may use a pool.
"""

from __future__ import annotations

from collections.abc import Iterable

from gpuplatform.settings.pools import NeuronPool, Pool
from gpuplatform.settings.tenants import Namespace, Scheduling, Tenant
from gpuplatform.standard import resources
from gpuplatform.standard.labels import Purpose
from gpuplatform.standard.priorities import priority


def meant_for(namespace: Namespace, pools: Iterable[Pool]) -> tuple[Pool, ...]:
    """The namespace's GPU pools in the file's order: those it names, else those with a purpose of its priorities."""
    purposes = {known_class.purpose for name in namespace.priorities if (known_class := priority(name))}
    return tuple(
        pool for pool in pools if (pool.name in namespace.pools if namespace.pools else pool.purpose in purposes)
    )


def pools_of(namespace: Namespace, pools: Iterable[Pool]) -> tuple[Pool, ...]:
    """The namespace's GPU pools whose cards are counted, not claimed, so that a quota can limit them."""
    return tuple(pool for pool in meant_for(namespace, pools) if not pool.dra)


def neuron_pools_of(namespace: Namespace, pools: Iterable[NeuronPool]) -> tuple[NeuronPool, ...]:
    """The namespace's Neuron pools: those that it names; if it names no pool at all, every one if it has a quota."""
    has_quota = bool(namespace.quota.get(resources.NEURON))
    return tuple(pool for pool in pools if (pool.name in namespace.pools if namespace.pools else has_quota))


def names_of_pools(namespace: Namespace, pools: Iterable[Pool], neuron_pools: Iterable[NeuronPool]) -> tuple[str, ...]:
    """Names of the namespace's GPU and Neuron pools; CPU pools are open to all and not listed."""
    return tuple(pool.name for pool in (*meant_for(namespace, pools), *neuron_pools_of(namespace, neuron_pools)))


def queued(tenant: Tenant) -> tuple[Namespace, ...]:
    """The team's namespaces that Kueue manages."""
    return tuple(namespace for namespace in tenant.namespaces if namespace.scheduling is Scheduling.QUEUED)


def training(tenant: Tenant) -> tuple[Namespace, ...]:
    """The team's namespaces that may train: their jobs can have several pods that start together."""
    return tuple(
        namespace
        for namespace in tenant.namespaces
        if any(
            (known_class := priority(name)) and known_class.purpose is Purpose.TRAIN for name in namespace.priorities
        )
    )


def guaranteed(namespaces: Iterable[Namespace]) -> dict[str, int]:
    """The sum of their quotas, by resource; zeros are left out."""
    sums: dict[str, int] = {}
    for namespace in namespaces:
        for resource, amount in namespace.quota.items():
            sums[resource] = sums.get(resource, 0) + amount
    return {resource: amount for resource, amount in sums.items() if amount}


def limit(tenant: Tenant, namespace: Namespace, resource: str) -> int:
    """The most of a resource that a namespace holds at one time: its quota plus what its team may borrow."""
    borrowed = tenant.queue.borrow.get(resource, 0) if namespace.scheduling is Scheduling.QUEUED else 0
    return namespace.quota.get(resource, 0) + borrowed
