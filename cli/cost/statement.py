"""The content of the bill, before it is written as text, JSON or Markdown."""

from __future__ import annotations

import datetime
from dataclasses import dataclass

from gpuplatform.analysis.cost import (
    PLATFORM,
    Bill,
    CostAdvice,
    Line,
    TeamLine,
    Unpromised,
    advice,
    bill,
    instance_types_of,
    team_lines,
    unpromised,
)
from gpuplatform.catalog.service_prices import service_prices
from gpuplatform.plan.node_pools import plan, unit_resource
from gpuplatform.plan.prices import Prices, price_range_usd_per_unit_hour
from gpuplatform.settings.partial import of_settings
from gpuplatform.settings.settings import Settings


@dataclass(frozen=True, slots=True)
class UnitPrice:
    """What one card, slice or share of a NodePool costs for an hour, the host included."""

    nodepool: str
    pool: str
    resource: str
    units_per_card: int
    low_usd: float
    high_usd: float


@dataclass(frozen=True, slots=True)
class Statement:
    """One stack's bill with its assumptions."""

    settings: Settings
    bill: Bill
    units: tuple[UnitPrice, ...]
    teams: tuple[TeamLine, ...]
    unpromised: Unpromised
    advice: tuple[CostAdvice, ...]
    notes: tuple[str, ...]
    """The assumptions of the figures, and the facts that are not known."""

    @property
    def by_pool(self) -> dict[str, tuple[Line, ...]]:
        """The lines of each pool, the platform's own first."""
        lines_by_pool: dict[str, list[Line]] = {PLATFORM: []}
        for line in self.bill.lines:
            lines_by_pool.setdefault(line.pool, []).append(line)
        return {pool: tuple(lines) for pool, lines in lines_by_pool.items()}


def statement(settings: Settings, today: datetime.date) -> Statement:
    """The statement of accepted settings; ``today`` decides which prices are old."""
    partial_settings = of_settings(settings)
    stack_bill = bill(partial_settings)
    assert stack_bill is not None, "accepted settings have a region and limits"
    prices = Prices(settings.region, settings.cost)
    units = tuple(
        UnitPrice(
            node_pool.name, node_pool.pool.name, unit_resource(node_pool.pool), node_pool.units_per_card, *range_usd
        )
        for node_pool in plan(settings.pools, settings.network.zones)
        if (range_usd := price_range_usd_per_unit_hour(node_pool, prices))
    )
    notes = _notes(settings, stack_bill, prices.old(instance_types_of(partial_settings), today))
    teams = team_lines(settings)
    return Statement(
        settings, stack_bill, units, teams, unpromised(teams, stack_bill), advice(settings, stack_bill), notes
    )


def _notes(settings: Settings, stack_bill: Bill, old_prices: list[str]) -> tuple[str, ...]:
    cost = settings.cost
    spot_price_date = f"as of {cost.spot_price_as_of}" if cost.spot_price_as_of else "assumed, never looked up"
    undated_services = [
        service_price.service.value for service_price in service_prices().values() if not service_price.verified
    ]
    stack_prices = [f"{price.instance_type} at {price.usd_per_hour} ({price.source})" for price in cost.prices]
    return (
        f"spot is priced at {cost.spot_price_ratio:.2f} of on demand ({spot_price_date})",
        f"expected: {cost.expected_use_percent} % of each ceiling unless the pool sets another value, on the"
        " preferred NodePools first and on the cheapest type",
        "list prices without traffic, snapshots, logs and taxes; everything but instances is priced as in us-east-1",
        *(f"prices {old_price}" for old_price in old_prices),
        *([f"prices without a dated public source: {', '.join(undated_services)}"] if undated_services else []),
        *([f"prices from the settings: {'; '.join(stack_prices)}"] if stack_prices else []),
        *(
            [f"not in the sums, because the price is unknown: {', '.join(stack_bill.unpriced)}"]
            if stack_bill.unpriced
            else []
        ),
    )
