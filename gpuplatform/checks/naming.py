"""Checks of names: each name is used once, and is short enough for every place where it is used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from gpuplatform.faults import Fault
from gpuplatform.plan.node_pools import plan
from gpuplatform.settings.partial import PartialSettings
from gpuplatform.settings.tenants import Tenant
from gpuplatform.standard import names
from gpuplatform.standard.versions import CHARTS

RESERVED_NAMESPACES = frozenset(
    {
        "default",
        "kube-system",
        "kube-public",
        "kube-node-lease",
        "karpenter",
        *(chart.namespace for chart in CHARTS.values()),
    }
)


def check_naming(settings: PartialSettings) -> list[Fault]:
    """Faults of names used twice, of namespaces that belong to the platform, and of NodePool names too long."""
    pools = [*settings.pools, *settings.cpu_pools, *settings.neuron_pools]
    entries = settings.cluster.access_entries if settings.cluster else ()
    faults = [
        *_twice("pools", "pool", (pool.name for pool in pools)),
        *_twice("tenants", "tenant", (tenant.name for tenant in settings.tenants)),
        *_namespaces(settings.tenants),
        *_twice("cluster.access_entries", "access entry", (entry.name for entry in entries)),
        *_cards_and_markets(settings),
        *_node_pools_of_others(settings),
    ]
    for tenant in settings.tenants:
        faults += [
            Fault(
                f"tenants[{tenant.name}].namespaces[{namespace.name}].name",
                namespace.name,
                "a namespace that belongs neither to the platform nor to Kubernetes",
                "choose another name",
            )
            for namespace in tenant.namespaces
            if namespace.name in RESERVED_NAMESPACES
        ]
    faults += [
        Fault(
            f"pools[{planned.pool.name}].name",
            f"{planned.pool.name!r}, which makes the NodePool {planned.name!r} of {len(planned.name)} characters",
            f"at most {names.MAX_LABEL_VALUE}: a NodePool's name is a label on its nodes",
            "shorten the pool's name",
        )
        for planned in plan(settings.pools, settings.zones)
        if len(planned.name) > names.MAX_LABEL_VALUE
    ]
    return faults


def _node_pools_of_others(settings: PartialSettings) -> list[Fault]:
    """Faults of CPU and Neuron pools whose name, which is also their NodePool's, is that of a GPU pool's NodePool."""
    owners = {planned.name: planned.pool.name for planned in plan(settings.pools, settings.zones)}
    return [
        Fault(
            f"{path}[{pool.name}].name",
            f"{pool.name}, which is the name of a NodePool of the pool {owners[pool.name]}",
            "a name that no other NodePool has: of two NodePools of one name only one is made",
            "choose another name",
        )
        for path, pools in (("cpu_pools", settings.cpu_pools), ("neuron_pools", settings.neuron_pools))
        for pool in pools
        if pool.name in owners
    ]


def _twice(path: str, kind: str, names_in_use: Iterable[str]) -> list[Fault]:
    return [
        Fault(f"{path}[{name}]", f"the {kind} {name!r} {count} times", f"each {kind} once", "rename or merge them")
        for name, count in Counter(names_in_use).items()
        if count > 1
    ]


def _namespaces(tenants: Iterable[Tenant]) -> list[Fault]:
    """Faults of namespaces that two teams have: the path names the later team, the text the earlier one."""
    owners: dict[str, str] = {}
    faults: list[Fault] = []
    for tenant in tenants:
        for name in (namespace.name for namespace in tenant.namespaces):
            if name in owners:
                path, text = f"tenants[{tenant.name}].namespaces[{name}].name", f"{name}, which {owners[name]} has too"
                faults.append(Fault(path, text, "each namespace once, with one team", "rename or merge them"))
            owners.setdefault(name, tenant.name)
    return faults


def _cards_and_markets(settings: PartialSettings) -> list[Fault]:
    faults: list[Fault] = []
    for pool in settings.pools:
        path = f"pools[{pool.name}].cards"
        faults += _twice(path, "card", (choice.card for choice in pool.cards))
        for choice in pool.cards:
            markets = (market.market.value for market in choice.markets)
            faults += _twice(f"{path}[{choice.card}].markets", "market", markets)
            faults += _twice(f"{path}[{choice.card}].instance_types", "type", choice.instance_types)
    return faults
