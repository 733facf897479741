"""The price of a node-hour in a stack: the stack's own prices first, else the list prices of its region."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from dataclasses import dataclass

from gpuplatform.catalog.prices import price
from gpuplatform.catalog.service_prices import service_prices
from gpuplatform.plan.node_pools import PlannedNodePool
from gpuplatform.settings.settings import Cost
from gpuplatform.standard.markets import Market

_OLD_AFTER_DAYS = 90


@dataclass(frozen=True, slots=True)
class Prices:
    """On-demand prices of one region."""

    region: str
    cost: Cost

    def usd_per_hour(self, name: str, market: Market) -> float | None:
        """The price of an instance-hour on a market. A reservation costs the on-demand price, used or not."""
        overrides = self.cost.prices
        override = next((override.usd_per_hour for override in overrides if override.instance_type == name), None)
        listed = price(name, self.region)
        on_demand = override if override is not None else (listed.usd_per_hour if listed else None)
        if on_demand is None or market is not Market.SPOT:
            return on_demand
        return on_demand * self.cost.spot_price_ratio

    def old(self, names: Iterable[str], today: datetime.date) -> list[str]:
        """A text for each day of prices in use that are older than ninety days, oldest first; services included."""
        overridden = {override.instance_type for override in self.cost.prices}
        rows = [list_price for name in set(names) - overridden if (list_price := price(name, self.region))]
        dated = [(row.as_of, row.instance_type) for row in rows]
        dated += [
            (service_price.as_of, service_price.service.value)
            for service_price in service_prices().values()
            if service_price.verified
        ]
        by_day: dict[datetime.date, list[str]] = {}
        for day, name in sorted(dated):
            if (today - day).days > _OLD_AFTER_DAYS:
                by_day.setdefault(day, []).append(name)
        return [f"{(today - day).days} days old ({day}): {', '.join(named)}" for day, named in by_day.items()]


def price_range_usd_per_hour(planned: PlannedNodePool, prices: Prices) -> tuple[float, float] | None:
    """The prices of the cheapest and the dearest node of a NodePool; None where no type has a price."""
    return _bounds(prices.usd_per_hour(instance_type.name, planned.market.market) for instance_type in planned.types)


def price_range_usd_per_unit_hour(planned: PlannedNodePool, prices: Prices) -> tuple[float, float] | None:
    """The lowest and highest price of one slice, share or whole card of a NodePool, the host included."""
    return _bounds(
        None if node is None or not instance_type.cards else node / (instance_type.cards * planned.units_per_card)
        for instance_type in planned.types
        if planned.units_per_card
        for node in (prices.usd_per_hour(instance_type.name, planned.market.market),)
    )


def _bounds(prices: Iterable[float | None]) -> tuple[float, float] | None:
    published = [price_usd for price_usd in prices if price_usd is not None]
    return (min(published), max(published)) if published else None
