"""What a team's quotas come to, slices and shares priced as parts of a card with its host (M7)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gpuplatform.settings.plan import PlannedNodePool, plan, unit_resource
from gpuplatform.settings.prices import Prices, price_range_usd_per_unit_hour
from gpuplatform.settings.settings import Settings


@dataclass(frozen=True, slots=True)
class TeamLine:
    """One resource in a team's quotas, in USD per hour."""

    tenant: str
    resource: str
    quota: int
    """Of all its namespaces together."""
    unit_usd_per_hour: tuple[float, float]
    """One card, share or slice on the cheapest and on the dearest node that offers it."""
    expected_usd_per_hour: float
    """The stated use of the quota, spread over the NodePools that offer it."""
    ceiling_usd_per_hour: float
    """The whole quota, on the dearest nodes."""


def team_lines(settings: Settings) -> tuple[TeamLine, ...]:
    """Every tenant's resources that some pool offers at a known price. Quotas overlap: their sum is no bill."""
    prices = Prices(settings.region, settings.cost)
    planned = plan(settings.pools, settings.network.zones)
    use = settings.cost.expected_use_percent / 100
    lines: list[TeamLine] = []
    for tenant in settings.tenants:
        amounts: dict[str, int] = {}
        for namespace in tenant.namespaces:
            for resource, amount in namespace.quota.items():
                amounts[resource] = amounts.get(resource, 0) + amount
        for resource, amount in amounts.items():
            unit = _unit(resource, planned, prices)
            if amount and unit is not None:
                hourly = use * amount * unit.usual_usd, amount * unit.high_usd
                lines.append(TeamLine(tenant.name, resource, amount, (unit.low_usd, unit.high_usd), *hourly))
    return tuple(lines)


@dataclass(frozen=True, slots=True)
class _Unit:
    """What one unit of a resource costs for an hour."""

    low_usd: float
    usual_usd: float
    """The cheapest node of each NodePool that offers it, weighed by how many units it may have."""
    high_usd: float


def _unit(resource: str, planned: Sequence[PlannedNodePool], prices: Prices) -> _Unit | None:
    found = [
        (*bounds, each.ceiling_cards * each.units_per_card)
        for each in planned
        if unit_resource(each.pool) == resource and (bounds := price_range_usd_per_unit_hour(each, prices))
    ]
    units = sum(count for _, _, count in found)
    if not units:
        return None
    return _Unit(
        min(low for low, _, _ in found),
        sum(low * count for low, _, count in found) / units,
        max(high for _, high, _ in found),
    )
