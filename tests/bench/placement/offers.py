"""Offers for pods: an instance type on a market, with its cards shared in one way."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gpuplatform.analysis.sharing.need import Method
from gpuplatform.analysis.sharing.options import PLATFORM_ARCHITECTURE, way_of
from gpuplatform.catalog.cards import Card, card
from gpuplatform.catalog.instance_types import InstanceType, instance_types
from gpuplatform.plan.node_pools import PlannedNodePool, plan
from gpuplatform.plan.prices import Prices
from gpuplatform.settings.pools import MAX_MPS_SHARES
from gpuplatform.settings.settings import Settings
from gpuplatform.standard.labels import Role
from gpuplatform.standard.markets import Market
from tests.bench.placement.workload import Row

_TOLERANCE = 0.005
"""A need of 0.14 of a card fits one slice of seven."""


@dataclass(frozen=True, slots=True)
class Offer:
    """Nodes of one type and market, whose cards are all divided into the same equal parts."""

    node: InstanceType
    market: Market
    usd_per_hour: float
    method: Method
    units_per_card: int
    unit_memory_gb: float
    unit_compute: float
    """The share of a card's compute."""
    planned: PlannedNodePool | None = None
    """The stack's NodePool that buys the nodes; None for an offer of the whole catalog."""
    profile: str = ""

    @property
    def units(self) -> int:
        """The number of units of one node."""
        return self.node.cards * self.units_per_card

    def carries(self, row: Row) -> int:
        """How many pods of a row one node carries; 0 where they may not run on it."""
        if not self._suits(row):
            return 0
        return min(
            self.units // row.cards,
            self.node.allocatable_cpu_millis // row.cpu_millis,
            self.node.allocatable_memory_mib // row.memory_mib,
            self.node.max_pods,
        )

    def _suits(self, row: Row) -> bool:
        if self.market is Market.SPOT and not row.interruptible:
            return False
        if row.cards > 1 and self.method is not Method.WHOLE:
            return False
        if self.method in (Method.MPS, Method.TIME_SLICING) and row.isolation:
            return False
        return row.memory_gib <= self.unit_memory_gb and row.compute <= self.unit_compute + _TOLERANCE

    def __str__(self) -> str:
        way = {Method.WHOLE: "whole cards", Method.MIG: f"MIG {self.profile}"}.get(
            self.method, f"{self.method} of {self.units_per_card}"
        )
        return f"{self.node.name} {self.market.value}, {way}"


def of_catalog(prices: Prices) -> Iterator[Offer]:
    """Every allowed way of sharing on every priced type of the platform's architecture, whatever the stack's pools."""
    for node in instance_types().values():
        gpu_card = card(node.card or "")
        if gpu_card is None or node.architecture != PLATFORM_ARCHITECTURE:
            continue
        for market in (Market.ON_DEMAND, Market.SPOT):
            cost = prices.usd_per_hour(node.name, market)
            if cost is not None:
                yield from _ways(node, gpu_card, market, cost)


def of_stack(settings: Settings, prices: Prices) -> Iterator[Offer]:
    """The offers of the stack's NodePools. Reservations are left out: they are paid for in any case."""
    for planned in plan(settings.pools, settings.network.zones):
        market = planned.market.market
        if market is Market.RESERVED or planned.pool.dra:
            continue
        way = way_of(planned.pool, planned.card)
        for node in planned.types:
            cost = prices.usd_per_hour(node.name, market)
            if cost is not None:
                compute = _slice_compute(planned.card, way.profile) if way.profile else 1 / way.units_per_card
                yield Offer(
                    node, market, cost, way.method, way.units_per_card, way.unit_memory_gb, compute, planned,
                    way.profile or "",
                )  # fmt: skip


def meant(row: Row, offer: Offer) -> bool:
    """Whether a row may select an offer's pool. Slices are isolated, so workloads of any purpose may use them."""
    planned = offer.planned
    if planned is None:
        return False
    if planned.pool.role is not row.role:
        return False
    if planned.pool.purpose is row.purpose:
        return (row.cards > 1) == (_cards_of_a_node(planned) > 1) or way_of(
            planned.pool, planned.card
        ).profile is not None
    return row.isolation and way_of(planned.pool, planned.card).profile is not None and row.role is Role.WORKER


def _cards_of_a_node(planned: PlannedNodePool) -> int:
    return max(instance_type.cards for instance_type in planned.types)


def _ways(node: InstanceType, gpu_card: Card, market: Market, cost: float) -> Iterator[Offer]:
    yield Offer(node, market, cost, Method.WHOLE, 1, gpu_card.memory_gb, 1.0)
    table = gpu_card.geometry
    for profile in table.without_attributes().profiles if table else ():
        compute = _slice_compute(gpu_card, profile.name)
        yield Offer(
            node, market, cost, Method.MIG, profile.max_instances, profile.memory_gb, compute, profile=profile.name
        )
    for shares in range(2, MAX_MPS_SHARES + 1):
        yield Offer(node, market, cost, Method.TIME_SLICING, shares, gpu_card.memory_gb / shares, 1 / shares)


def _slice_compute(gpu_card: Card, profile: str) -> float:
    table = gpu_card.geometry
    slice_profile = table.profile(profile) if table else None
    assert table is not None, f"{gpu_card.name} is cut by MIG"
    assert slice_profile is not None, f"{gpu_card.name} has the profile {profile}"
    return slice_profile.compute_slices / table.compute_slices
