"""Series computed as samples arrive: cards in use and paid for, by team, pool, card and market (M6, M7).

Card-hours and dollar-hours are sums over time of these; a slice counts as its part of a card.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from gpuplatform.render.monitoring.alert import Recording
from gpuplatform.render.monitoring.names import sanitized
from gpuplatform.render.monitoring.parts import nodes_of
from gpuplatform.settings.plan import PlannedNodePool, unit_resource
from gpuplatform.settings.prices import Prices
from gpuplatform.standard import labels

ALLOCATED_CARDS = "gpu:allocated_cards:sum"
PAID_CARDS = "gpu:paid_cards:sum"
ALLOCATED_USD = "gpu:allocated_usd_per_hour:sum"
PAID_USD = "gpu:paid_usd_per_hour:sum"
IDLE_USD = "gpu:idle_usd_per_hour:sum"
USE = "gpu:use:ratio"


def recordings(planned: Sequence[PlannedNodePool], prices: Prices) -> Iterator[Recording]:
    """The rules of every NodePool, then those that add them up."""
    for each in planned:
        yield from _of_nodepool(each, prices)
    by = "nodepool, gpu_pool, gpu_model"
    yield Recording(USE, f"avg by ({by}) (DCGM_FI_PROF_GR_ENGINE_ACTIVE)")
    claimed = "|".join(each.name for each in planned if each.pool.dra)  # no series says who holds their cards
    counted = f'{{nodepool!~"{claimed}"}}' if claimed else ""
    paid = f"sum by ({by}, capacity_type) ({PAID_USD}{counted})"
    yield Recording(IDLE_USD, f"{paid} - (sum by ({by}, capacity_type) ({ALLOCATED_USD}) or {paid} * 0)")


def _of_nodepool(nodepool: PlannedNodePool, prices: Prices) -> Iterator[Recording]:
    market = nodepool.market.market
    said = {
        "nodepool": nodepool.name,
        "gpu_pool": nodepool.labels[labels.PURPOSE.key],
        "gpu_model": nodepool.labels[labels.MODEL.key],
        "capacity_type": market.value,
    }
    running = (
        f'kube_pod_container_resource_requests{{resource="{sanitized(unit_resource(nodepool.pool))}"}}'
        ' * on (namespace, pod) group_left () (kube_pod_status_phase{phase="Running"} == 1)'
        f" * on (node) group_left () {nodes_of(nodepool)}"
    )
    if not nodepool.pool.dra:
        allocated = f"sum by (namespace) ({running}) / {nodepool.units_per_card}"
        yield Recording(ALLOCATED_CARDS, allocated, said)
        per_card = _per_card(nodepool, prices)
        if per_card is not None:
            yield Recording(ALLOCATED_USD, f"{allocated} * {per_card:.4f}", said)
    counted = [(each.name, each.cards, prices.usd_per_hour(each.name, market)) for each in nodepool.types]
    cards = [f"count({nodes_of(nodepool, name)}) * {cards}" for name, cards, _ in counted]
    yield Recording(PAID_CARDS, _sum(cards), said)
    paid = [f"count({nodes_of(nodepool, name)}) * {usd:.4f}" for name, _, usd in counted if usd is not None]
    if paid:
        yield Recording(PAID_USD, _sum(paid), said)


def _sum(terms: Iterable[str]) -> str:
    """A type of which no node runs counts as none."""
    return " + ".join(f"({each} or vector(0))" for each in terms)


def _per_card(nodepool: PlannedNodePool, prices: Prices) -> float | None:
    """The cheapest node's price of one card: what a pod is charged for, whichever size it landed on."""
    known = [
        usd / each.cards
        for each in nodepool.types
        if each.cards and (usd := prices.usd_per_hour(each.name, nodepool.market.market)) is not None
    ]
    return min(known) if known else None
