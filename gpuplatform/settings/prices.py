"""What an hour of a node costs a stack: list prices of its region, the stack's own additions first."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from dataclasses import dataclass

from gpuplatform.catalog.prices import price
from gpuplatform.catalog.service_prices import service_prices
from gpuplatform.settings.cost import Cost
from gpuplatform.settings.plan import PlannedNodePool
from gpuplatform.standard.markets import Market

_OLD_AFTER_DAYS = 90


@dataclass(frozen=True, slots=True)
class Prices:
    """On-demand prices of one region."""

    region: str
    cost: Cost

    def usd_per_hour(self, name: str, market: Market) -> float | None:
        """What an hour of an instance costs on a market; a reservation costs the same used or not, so on demand."""
        own = next((each.usd_per_hour for each in self.cost.prices if each.instance_type == name), None)
        listed = price(name, self.region)
        on_demand = own if own is not None else (listed.usd_per_hour if listed else None)
        if on_demand is None or market is not Market.SPOT:
            return on_demand
        return on_demand * self.cost.spot_price_ratio

    def old(self, names: Iterable[str], today: datetime.date) -> list[str]:
        """Prices among those used that are older than ninety days, oldest first, in words; services included."""
        overridden = {each.instance_type for each in self.cost.prices}
        rows = [found for name in set(names) - overridden if (found := price(name, self.region))]
        dated = [(each.as_of, each.instance_type) for each in rows]
        dated += [(each.as_of, each.service.value) for each in service_prices().values() if each.verified]
        by_day: dict[datetime.date, list[str]] = {}
        for day, name in sorted(dated):
            if (today - day).days > _OLD_AFTER_DAYS:
                by_day.setdefault(day, []).append(name)
        return [f"{(today - day).days} days old ({day}): {', '.join(named)}" for day, named in by_day.items()]


def price_range_usd_per_hour(planned: PlannedNodePool, prices: Prices) -> tuple[float, float] | None:
    """The cheapest and the dearest node of a NodePool; None where no type has a price."""
    return _bounds(prices.usd_per_hour(each.name, planned.market.market) for each in planned.types)


def price_range_usd_per_unit_hour(planned: PlannedNodePool, prices: Prices) -> tuple[float, float] | None:
    """The same for one slice, share or whole card of it, the host included."""
    return _bounds(
        None if node is None or not each.cards else node / (each.cards * planned.units_per_card)
        for each in planned.types
        if planned.units_per_card
        for node in (prices.usd_per_hour(each.name, planned.market.market),)
    )


def _bounds(found: Iterable[float | None]) -> tuple[float, float] | None:
    known = [each for each in found if each is not None]
    return (min(known), max(known)) if known else None
