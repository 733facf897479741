"""The cost of a team's quotas; a slice or share is priced as a fraction of its card and host."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gpuplatform.analysis.cost.bill import Bill, bill
from gpuplatform.faults import Fault
from gpuplatform.plan.node_pools import PlannedNodePool, plan, unit_resource
from gpuplatform.plan.prices import Prices, price_range_usd_per_unit_hour
from gpuplatform.plan.teams import pools_of
from gpuplatform.settings.partial import PartialSettings
from gpuplatform.settings.settings import Settings
from gpuplatform.settings.tenants import Namespace


@dataclass(frozen=True, slots=True)
class TeamLine:
    """One resource in a team's quotas, in USD per hour."""

    tenant: str
    resource: str
    quota: int
    """The sum over the team's namespaces."""
    expected_usd_per_hour: float
    """At the expected use of the quota (``cost.expected_use_percent``)."""
    ceiling_usd_per_hour: float
    """The whole quota; each namespace's part is priced on the cheapest node that it may use."""


@dataclass(frozen=True, slots=True)
class Unpromised:
    """The rest of the stack's bill: the bill less the cost of its teams' quotas, in USD per hour.

    It is negative where quotas are over-committed (``queues.overcommit_ratio`` above 1).
    """

    expected_usd_per_hour: float
    ceiling_usd_per_hour: float


def team_lines(settings: Settings) -> tuple[TeamLine, ...]:
    """One line for each tenant and resource with a known price."""
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


def unpromised(lines: Sequence[TeamLine], stack_bill: Bill) -> Unpromised:
    """The rest of the stack's bill after its teams' lines."""
    return Unpromised(
        sum(line.expected_usd_per_hour for line in stack_bill.lines)
        - sum(line.expected_usd_per_hour for line in lines),
        sum(line.ceiling_usd_per_hour for line in stack_bill.lines) - sum(line.ceiling_usd_per_hour for line in lines),
    )


def _usable(
    namespace: Namespace, node_pools: Sequence[PlannedNodePool], settings: Settings
) -> tuple[PlannedNodePool, ...]:
    pools = {pool.name for pool in pools_of(namespace, settings.pools)}
    return tuple(node_pool for node_pool in node_pools if node_pool.pool.name in pools)


def _cheapest_unit(resource: str, node_pools: Sequence[PlannedNodePool], prices: Prices) -> float | None:
    """The price of one card, share or slice for an hour on the cheapest node that offers it; None without a price."""
    ranges = (
        price_range_usd_per_unit_hour(node_pool, prices)
        for node_pool in node_pools
        if unit_resource(node_pool.pool) == resource
    )
    return min((low for low, _ in filter(None, ranges)), default=None)


def faults(settings: PartialSettings) -> list[Fault]:
    """A floor above the stack's own limit, and a ceiling above its budget."""
    stack_bill = bill(settings)
    if stack_bill is None or settings.cost is None:
        return []
    over_limit: list[Fault] = []
    floor, ceiling = stack_bill.floor_usd_per_month, stack_bill.ceiling_usd_per_month
    if floor > settings.cost.monthly_floor_limit_usd:
        over_limit.append(
            Fault(
                "cost.monthly_floor_limit_usd",
                f"{settings.cost.monthly_floor_limit_usd}, below the floor of ${floor:,.0f} a month",
                "a limit of at least the floor, which is the cost of the stack at rest",
                "remove static nodes, or raise the limit",
            )
        )
    if ceiling > settings.cost.monthly_budget_usd:
        over_limit.append(
            Fault(
                "cost.monthly_budget_usd",
                f"{settings.cost.monthly_budget_usd}, below the ${ceiling:,.0f} of a month at every ceiling",
                "a budget of at least the cost at every ceiling",
                "lower ceilings, or raise the budget",
            )
        )
    return over_limit
