"""Recording rules: cards allocated and paid for, by team, pool, card and market.

Card-hours and dollar-hours are sums over time of these series; a slice counts as a fraction of its card.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from gpuplatform.plan.node_pools import PlannedNodePool, unit_resource
from gpuplatform.plan.prices import Prices
from gpuplatform.render.monitoring.alert import Recording
from gpuplatform.render.monitoring.names import nodes_of, sanitized, selected
from gpuplatform.standard import labels

ALLOCATED_CARDS = "gpu:allocated_cards:sum"
PAID_CARDS = "gpu:paid_cards:sum"
ALLOCATED_USD = "gpu:allocated_usd_per_hour:sum"
PAID_USD = "gpu:paid_usd_per_hour:sum"
IDLE_USD = "gpu:idle_usd_per_hour:sum"
USE = "gpu:use:ratio"


def recordings(planned: Sequence[PlannedNodePool], prices: Prices) -> Iterator[Recording]:
    """The rules of every NodePool, then those that sum them."""
    for node_pool in planned:
        yield from _of_nodepool(node_pool, prices)
    by = "nodepool, gpu_pool, gpu_model"
    yield Recording(USE, f"avg by ({by}) (DCGM_FI_PROF_GR_ENGINE_ACTIVE)")
    # No series says which namespace holds claimed cards.
    claimed = "|".join(node_pool.name for node_pool in planned if node_pool.pool.dra)
    counted = selected(PAID_USD, f'nodepool!~"{claimed}"') if claimed else PAID_USD
    paid = f"sum by ({by}, capacity_type) ({counted})"
    allocated = f"sum by ({by}, capacity_type) ({ALLOCATED_USD})"
    yield Recording(IDLE_USD, f"{paid} - ({allocated} or {paid} * 0)")


def _of_nodepool(nodepool: PlannedNodePool, prices: Prices) -> Iterator[Recording]:
    market = nodepool.market.market
    series_labels = {
        "nodepool": nodepool.name,
        "gpu_pool": nodepool.labels[labels.PURPOSE.key],
        "gpu_model": nodepool.labels[labels.MODEL.key],
        "capacity_type": market.value,
    }
    if not nodepool.pool.dra:
        units = f"sum by (namespace) ({_requested_by_running_pods(nodepool)})"
        allocated = f"{units} / {nodepool.units_per_card}"
        yield Recording(ALLOCATED_CARDS, allocated, series_labels)
        per_card = _per_card(nodepool, prices)
        if per_card is not None:
            yield Recording(ALLOCATED_USD, f"{allocated} * {per_card:.4f}", series_labels)
    counted = [
        (instance_type.name, instance_type.cards, prices.usd_per_hour(instance_type.name, market))
        for instance_type in nodepool.types
    ]
    cards = [f"count({nodes_of(nodepool, name)}) * {cards}" for name, cards, _ in counted]
    yield Recording(PAID_CARDS, _sum(cards), series_labels)
    paid = [f"count({nodes_of(nodepool, name)}) * {usd:.4f}" for name, _, usd in counted if usd is not None]
    if paid:
        yield Recording(PAID_USD, _sum(paid), series_labels)


def _requested_by_running_pods(nodepool: PlannedNodePool) -> str:
    """The units that running pods on the NodePool's nodes request, by container."""
    resource = sanitized(unit_resource(nodepool.pool))
    requested = selected("kube_pod_container_resource_requests", f'resource="{resource}"')
    is_running = '(kube_pod_status_phase{phase="Running"} == 1)'
    return (
        f"{requested} * on (namespace, pod) group_left () {is_running} * on (node) group_left () {nodes_of(nodepool)}"
    )


def _sum(terms: Iterable[str]) -> str:
    """The sum of terms, where a type without running nodes counts as 0."""
    return " + ".join(f"({term} or vector(0))" for term in terms)


def _per_card(nodepool: PlannedNodePool, prices: Prices) -> float | None:
    """The price of one card on the cheapest node: what a pod is charged, whichever node size it runs on."""
    prices_per_card = [
        usd / instance_type.cards
        for instance_type in nodepool.types
        if instance_type.cards and (usd := prices.usd_per_hour(instance_type.name, nodepool.market.market)) is not None
    ]
    return min(prices_per_card) if prices_per_card else None
