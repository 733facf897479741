"""The view of a stack that its settings give, and the proof that its gate runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from gpuplatform.catalog.instance_types import InstanceType, instance_type
from gpuplatform.faults import Fault
from gpuplatform.proofs.capture.unselective import unselective
from gpuplatform.proofs.capture.view import LaunchOption, NamespaceView, NodePoolView, StackView
from gpuplatform.proofs.truth import well_known
from gpuplatform.settings.draft import Draft
from gpuplatform.settings.other_pools import CpuPool, NeuronPool
from gpuplatform.settings.plan import PlannedNodePool, plan, shares_per_card, taints_without_cards, unit_resource
from gpuplatform.settings.pools import Pool, Provisioner
from gpuplatform.settings.prices import Prices
from gpuplatform.settings.settings import Settings
from gpuplatform.settings.teams import limit, names_of_pools
from gpuplatform.settings.tenants import Scheduling
from gpuplatform.standard import aliases, keys, names, resources
from gpuplatform.standard.markets import Market


def stack_view(settings: Settings, claim_template: Callable[[Pool], str | None]) -> StackView:
    """A stack as a pod meets it; ``claim_template`` names the template of a pool whose cards are claimed."""
    zones, prices = settings.network.zones, Prices(settings.region, settings.cost)
    gpu = [
        nodepool_view(
            each,
            prices,
            more_labels={
                **(aliases.written(settings.aliases, each.labels) if settings.aliases else {}),
                keys.REGION: settings.region,
            },
            claim_template=claim_template(each.pool),
        )
        for each in plan(settings.pools, zones)
    ]
    others = [
        *(_other(each, zones, prices) for each in (*settings.cpu_pools, *settings.neuron_pools)),
    ]
    return StackView(
        environment=settings.environment,
        node_pools=(*gpu, *others),
        namespaces=tuple(
            NamespaceView(
                each.name,
                each.priorities,
                {name: limit(tenant, each, name) for name in (*each.quota, *tenant.queue.borrow)},
                names_of_pools(each, settings.pools, settings.neuron_pools),
                names.LOCAL_QUEUE if each.scheduling is Scheduling.QUEUED else None,
                each.default_memory_mib,
            )
            for tenant in settings.tenants
            for each in tenant.namespaces
        ),
    )


def nodepool_view(
    planned: PlannedNodePool,
    prices: Prices | None,
    more_labels: Mapping[str, str] | None = None,
    claim_template: str | None = None,
) -> NodePoolView:
    """One NodePool of a GPU pool; without prices every price is unknown."""
    by_karpenter = planned.pool.provisioner is Provisioner.KARPENTER
    own = {keys.NODEPOOL: planned.name} if by_karpenter else {}
    market = planned.market.market
    return NodePoolView(
        name=planned.name,
        pool=planned.pool.name,
        labels={**planned.labels, **planned.efa_label, **(more_labels or {}), **own},
        zones=planned.zones,
        taints=planned.taints,
        options=tuple(
            _option(each, market, prices, _devices(planned, each), labelled=by_karpenter) for each in planned.types
        ),
        weight=planned.weight,
        replicas=planned.replicas,
        most_per_container=1 if shares_per_card(planned.pool) is not None else None,
        claim_template=claim_template,
    )


def faults(draft: Draft) -> list[Fault]:
    """Pools of a stack that would take a GPU pod which names no purpose."""
    return unselective(
        # Under which name cards are claimed does not matter here, only that they are.
        nodepool_view(each, None, claim_template=each.pool.name if each.pool.dra else None)
        for each in plan(draft.pools, draft.zones)
    )


def _devices(planned: PlannedNodePool, each: InstanceType) -> dict[str, int]:
    devices: dict[str, int] = {}
    if not planned.pool.dra:
        devices[unit_resource(planned.pool)] = each.cards * planned.units_per_card
    if planned.pool.efa:  # elsewhere no plugin offers them
        devices[resources.EFA] = each.efa_interfaces
    return devices


def _other(pool: CpuPool | NeuronPool, zones: tuple[str, ...], prices: Prices) -> NodePoolView:
    """A NodePool without NVIDIA cards: it has no weight, and launches from any of its markets."""
    known = [found for each in pool.instance_types if (found := instance_type(each))]
    return NodePoolView(
        name=pool.name,
        pool=pool.name,
        labels={keys.NODEPOOL: pool.name, keys.REGION: prices.region},
        zones=zones,
        taints=taints_without_cards(pool),
        options=tuple(
            _option(
                each,
                market,
                prices,
                _neuron_devices(each),
                labelled=True,
            )
            for each in known
            for market in pool.markets
        ),
        weight=None,
        replicas=None,
        most_per_container=None,
        claim_template=None,
    )


def _neuron_devices(each: InstanceType) -> dict[str, int]:
    """Both ways to ask for them, by device and by core, as nodes offer both.

    Karpenter counts them so (aws/karpenter-provider-aws v1.14.1 pkg/providers/instancetype/types.go, computeCapacity).
    """
    counts = {resources.NEURON: each.neuron_devices, resources.NEURON_CORE: each.neuron_cores}
    return {name: count for name, count in counts.items() if count}


def _option(
    each: InstanceType, market: Market, prices: Prices | None, devices: Mapping[str, int], *, labelled: bool
) -> LaunchOption:
    """A type on a market; only Karpenter labels its nodes with more than Kubernetes does."""
    known = well_known(each.name)
    plain = (keys.INSTANCE_TYPE, keys.ARCHITECTURE, keys.OPERATING_SYSTEM)
    labels = {**known, keys.CAPACITY_TYPE: market.value} if labelled else {key: known[key] for key in plain}
    return LaunchOption(
        instance_type=each.name,
        labels=labels,
        devices=devices,
        cpu_millis=each.allocatable_cpu_millis,
        memory_mib=each.allocatable_memory_mib,
        usd_per_hour=prices.usd_per_hour(each.name, market) if prices else None,
    )
