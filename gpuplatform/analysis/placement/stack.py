"""The view of a stack from its settings, and the faults of pools that accept unselective pods."""

from __future__ import annotations

from collections.abc import Mapping

from gpuplatform.analysis.placement.landing import unselective
from gpuplatform.analysis.placement.view import LaunchOption, NamespaceView, NodePoolView, StackView
from gpuplatform.catalog.instance_types import InstanceType, types_named
from gpuplatform.faults import Fault
from gpuplatform.plan.node_pools import (
    PlannedNodePool,
    claim_template,
    plan,
    shares_per_card,
    taints_without_cards,
    unit_resource,
)
from gpuplatform.plan.prices import Prices
from gpuplatform.plan.teams import limit, names_of_pools
from gpuplatform.settings.partial import PartialSettings
from gpuplatform.settings.pools import CpuPool, NeuronPool, Provisioner
from gpuplatform.settings.settings import Settings
from gpuplatform.settings.tenants import Scheduling
from gpuplatform.standard import aliases, keys, names, resources
from gpuplatform.standard.instance_labels import instance_labels
from gpuplatform.standard.markets import Market


def stack_view(settings: Settings) -> StackView:
    """A stack as a pod sees it."""
    zones, prices = settings.network.zones, Prices(settings.region, settings.cost)
    gpu = [
        nodepool_view(
            node_pool,
            prices,
            more_labels={
                **(aliases.written(settings.aliases, node_pool.labels) if settings.aliases else {}),
                keys.REGION: settings.region,
            },
        )
        for node_pool in plan(settings.pools, zones)
    ]
    others = [
        *(_other(pool, zones, prices) for pool in (*settings.cpu_pools, *settings.neuron_pools)),
    ]
    return StackView(
        environment=settings.environment,
        node_pools=(*gpu, *others),
        namespaces=tuple(
            NamespaceView(
                namespace.name,
                namespace.priorities,
                {name: limit(tenant, namespace, name) for name in (*namespace.quota, *tenant.queue.borrow)},
                names_of_pools(namespace, settings.pools, settings.neuron_pools),
                names.LOCAL_QUEUE if namespace.scheduling is Scheduling.QUEUED else None,
                namespace.default_memory_mib,
            )
            for tenant in settings.tenants
            for namespace in tenant.namespaces
        ),
    )


def nodepool_view(
    planned: PlannedNodePool,
    prices: Prices | None,
    more_labels: Mapping[str, str] | None = None,
) -> NodePoolView:
    """One NodePool of a GPU pool; without prices every price is unknown."""
    by_karpenter = planned.pool.provisioner is Provisioner.KARPENTER
    of_karpenter = {keys.NODEPOOL: planned.name} if by_karpenter else {}
    market = planned.market.market
    return NodePoolView(
        name=planned.name,
        pool=planned.pool.name,
        labels={**planned.labels, **planned.efa_label, **(more_labels or {}), **of_karpenter},
        zones=planned.zones,
        taints=planned.taints,
        options=tuple(
            _option(node, market, prices, _devices(planned, node), labelled=by_karpenter) for node in planned.types
        ),
        weight=planned.weight,
        replicas=planned.replicas,
        most_per_container=1 if shares_per_card(planned.pool) is not None else None,
        claim_template=claim_template(planned.pool),
    )


def faults(settings: PartialSettings) -> list[Fault]:
    """A fault for each pool of a stack that accepts a GPU pod which names no purpose."""
    return unselective(nodepool_view(node_pool, None) for node_pool in plan(settings.pools, settings.zones))


def _devices(planned: PlannedNodePool, node: InstanceType) -> dict[str, int]:
    devices: dict[str, int] = {}
    if not planned.pool.dra:
        devices[unit_resource(planned.pool)] = node.cards * planned.units_per_card
    if planned.pool.efa:  # on other pools no plugin offers EFA interfaces
        devices[resources.EFA] = node.efa_interfaces
    return devices


def _other(pool: CpuPool | NeuronPool, zones: tuple[str, ...], prices: Prices) -> NodePoolView:
    """A NodePool without NVIDIA cards: it has no weight, and Karpenter may use any of its markets."""
    types = types_named(pool.instance_types)
    return NodePoolView(
        name=pool.name,
        pool=pool.name,
        labels={keys.NODEPOOL: pool.name, keys.REGION: prices.region},
        zones=zones,
        taints=taints_without_cards(pool),
        options=tuple(
            _option(
                node,
                market,
                prices,
                _neuron_devices(node),
                labelled=True,
            )
            for node in types
            for market in pool.markets
        ),
        weight=None,
        replicas=None,
        most_per_container=None,
        claim_template=None,
    )


def _neuron_devices(node: InstanceType) -> dict[str, int]:
    """Neuron devices and Neuron cores: nodes offer both resources.

    Karpenter counts both too (aws/karpenter-provider-aws v1.14.1 pkg/providers/instancetype/types.go, computeCapacity).
    """
    counts = {resources.NEURON: node.neuron_devices, resources.NEURON_CORE: node.neuron_cores}
    return {name: count for name, count in counts.items() if count}


def _option(
    node: InstanceType, market: Market, prices: Prices | None, devices: Mapping[str, int], *, labelled: bool
) -> LaunchOption:
    """An instance type on a market; only Karpenter's nodes have more labels than Kubernetes sets."""
    labels_of_type = instance_labels(node.name)
    plain = (keys.INSTANCE_TYPE, keys.ARCHITECTURE, keys.OPERATING_SYSTEM)
    labels = (
        {**labels_of_type, keys.CAPACITY_TYPE: market.value}
        if labelled
        else {key: labels_of_type[key] for key in plain}
    )
    return LaunchOption(
        instance_type=node.name,
        labels=labels,
        devices=devices,
        cpu_millis=node.allocatable_cpu_millis,
        memory_mib=node.allocatable_memory_mib,
        usd_per_hour=prices.usd_per_hour(node.name, market) if prices else None,
    )
