"""Everything that the bill says, before it is written in one form or another."""

from __future__ import annotations

import datetime
from dataclasses import dataclass

from gpuplatform.catalog.service_prices import service_prices
from gpuplatform.proofs.cost import (
    PLATFORM,
    Advice,
    Bill,
    Line,
    TeamLine,
    Unpromised,
    advice,
    bill,
    instance_types_of,
    team_lines,
    unpromised,
)
from gpuplatform.settings.draft import of_settings
from gpuplatform.settings.plan import plan, unit_resource
from gpuplatform.settings.prices import Prices, price_range_usd_per_unit_hour
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
    """One stack's bill with what it rests on."""

    settings: Settings
    bill: Bill
    units: tuple[UnitPrice, ...]
    teams: tuple[TeamLine, ...]
    unpromised: Unpromised
    advice: tuple[Advice, ...]
    notes: tuple[str, ...]
    """What the figures assume, and what is not known."""

    @property
    def by_pool(self) -> dict[str, tuple[Line, ...]]:
        """The lines of each pool, the platform's own first."""
        found: dict[str, list[Line]] = {PLATFORM: []}
        for line in self.bill.lines:
            found.setdefault(line.pool, []).append(line)
        return {pool: tuple(lines) for pool, lines in found.items()}


def statement(settings: Settings, today: datetime.date) -> Statement:
    """The statement of accepted settings; ``today`` decides which prices are old."""
    draft = of_settings(settings)
    whole = bill(draft)
    assert whole is not None, "accepted settings have a region and limits"
    prices = Prices(settings.region, settings.cost)
    units = tuple(
        UnitPrice(each.name, each.pool.name, unit_resource(each.pool), each.units_per_card, *found)
        for each in plan(settings.pools, settings.network.zones)
        if (found := price_range_usd_per_unit_hour(each, prices))
    )
    notes = _notes(settings, whole, prices.old(instance_types_of(draft), today))
    teams = team_lines(settings)
    return Statement(settings, whole, units, teams, unpromised(teams, whole), advice(settings, whole), notes)


def _notes(settings: Settings, whole: Bill, old: list[str]) -> tuple[str, ...]:
    cost = settings.cost
    looked_up = f"as of {cost.spot_price_as_of}" if cost.spot_price_as_of else "assumed, never looked up"
    guesses = [each.service.value for each in service_prices().values() if not each.verified]
    own = [f"{each.instance_type} at {each.usd_per_hour} ({each.source})" for each in cost.prices]
    return (
        f"spot is taken at {cost.spot_price_ratio:.2f} of on demand ({looked_up})",
        f"expected: {cost.expected_use_percent} % of each ceiling unless the pool says otherwise, by preference and"
        " on the cheapest type",
        "list prices without traffic, snapshots, logs and taxes; what is beside instances is priced as in us-east-1",
        *(f"prices {each}" for each in old),
        *([f"without a dated public source: {', '.join(guesses)}"] if guesses else []),
        *([f"prices of the settings: {'; '.join(own)}"] if own else []),
        *([f"without a price, so not in the sums: {', '.join(whole.unpriced)}"] if whole.unpriced else []),
    )
