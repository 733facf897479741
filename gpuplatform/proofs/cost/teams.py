"""What a team's quotas come to, slices and shares priced as parts of a card with its host (M7)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gpuplatform.proofs.cost.bill import Bill
from gpuplatform.settings.plan import PlannedNodePool, plan, unit_resource
from gpuplatform.settings.prices import Prices, price_range_usd_per_unit_hour
from gpuplatform.settings.settings import Settings
from gpuplatform.settings.teams import pools_of
from gpuplatform.settings.tenants import Namespace


@dataclass(frozen=True, slots=True)
class TeamLine:
    """One resource in a team's quotas, in USD per hour."""

    tenant: str
    resource: str
    quota: int
    """Of all its namespaces together."""
    expected_usd_per_hour: float
    """The stated use of the quota."""
    ceiling_usd_per_hour: float
    """The whole quota, each namespace's on the cheapest node that it may use."""


@dataclass(frozen=True, slots=True)
class Unpromised:
    """What closes the sum: the stack's bill less what its teams' quotas come to, in USD per hour.

    Negative where quotas are promised more than once (``queues.overcommit_ratio`` above 1).
    """

    expected_usd_per_hour: float
    ceiling_usd_per_hour: float


def team_lines(settings: Settings) -> tuple[TeamLine, ...]:
    """Every tenant's resources that its namespaces may use at a known price."""
    prices = Prices(settings.region, settings.cost)
    node_pools = plan(settings.pools, settings.network.zones)
    use = settings.cost.expected_use_percent / 100
    lines: list[TeamLine] = []
    for tenant in settings.tenants:
        amounts: dict[str, int] = {}
        usd_per_hour: dict[str, float] = {}
        for namespace in tenant.namespaces:
            for resource, amount in namespace.quota.items():
                unit_usd = _cheapest_unit(resource, _usable(namespace, node_pools, settings), prices)
                if amount and unit_usd is not None:
                    amounts[resource] = amounts.get(resource, 0) + amount
                    usd_per_hour[resource] = usd_per_hour.get(resource, 0.0) + amount * unit_usd
        lines += [
            TeamLine(tenant.name, resource, amount, use * usd_per_hour[resource], usd_per_hour[resource])
            for resource, amount in amounts.items()
        ]
    return tuple(lines)


def unpromised(lines: Sequence[TeamLine], whole: Bill) -> Unpromised:
    """The stack's bill less its teams' lines."""
    return Unpromised(
        sum(line.expected_usd_per_hour for line in whole.lines) - sum(line.expected_usd_per_hour for line in lines),
        sum(line.ceiling_usd_per_hour for line in whole.lines) - sum(line.ceiling_usd_per_hour for line in lines),
    )


def _usable(
    namespace: Namespace, node_pools: Sequence[PlannedNodePool], settings: Settings
) -> tuple[PlannedNodePool, ...]:
    pools = {pool.name for pool in pools_of(namespace, settings.pools)}
    return tuple(node_pool for node_pool in node_pools if node_pool.pool.name in pools)


def _cheapest_unit(resource: str, node_pools: Sequence[PlannedNodePool], prices: Prices) -> float | None:
    """An hour of one card, share or slice on the cheapest node that offers it; None where none has a price."""
    ranges = (
        price_range_usd_per_unit_hour(node_pool, prices)
        for node_pool in node_pools
        if unit_resource(node_pool.pool) == resource
    )
    return min((low for low, _ in filter(None, ranges)), default=None)
