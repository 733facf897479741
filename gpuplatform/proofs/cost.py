"""What a stack costs at rest and at most, from list prices (B9).

The floor is what is paid when nobody works: the control plane, system nodes, NAT, endpoints, volumes, static pools and
capacity reservations. The ceiling adds every elastic pool at its limit, each with the dearest way to fill it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from gpuplatform.catalog.instance_types import InstanceType, instance_type
from gpuplatform.catalog.prices import price
from gpuplatform.faults import Fault
from gpuplatform.settings.cluster import SystemNodes
from gpuplatform.settings.cost import Cost
from gpuplatform.settings.draft import Draft
from gpuplatform.settings.network import Nat, Network
from gpuplatform.settings.plan import PlannedNodePool, plan
from gpuplatform.standard.markets import Market

HOURS_PER_MONTH = 730
"""AWS's own month (365 days × 24 hours ÷ 12)."""
CONTROL_PLANE_USD_PER_HOUR = 0.10
"""EKS cluster in standard support (list price as quoted at cloudburn.io/blog/amazon-eks-pricing, 2026-03-13)."""
NAT_GATEWAY_USD_PER_HOUR = 0.045
"""NAT gateway in us-east-1, without traffic (list price as quoted at cloudburn.io/blog/aws-nat-gateway-pricing,
2026-02-24); Asian regions ask up to a third more."""
INTERFACE_ENDPOINT_USD_PER_HOUR = 0.01
"""Interface endpoint in one zone, us-east-1, without traffic (list price as quoted at egresscost.com, 2026-03)."""
GP3_USD_PER_GIB_MONTH = 0.08
"""gp3 volume in us-east-1, without extra IOPS; unverified: no dated public copy of the price list was read."""


@dataclass(frozen=True, slots=True)
class Line:
    """One part of the bill, in USD per hour."""

    name: str
    floor_usd_per_hour: float
    ceiling_usd_per_hour: float


@dataclass(frozen=True, slots=True)
class Bill:
    """A stack's bill."""

    lines: tuple[Line, ...]
    unpriced: tuple[str, ...]
    """Instance types without a price in the region: not in the sums."""

    @property
    def floor_usd_per_month(self) -> float:
        """What a month costs in which nobody runs anything."""
        return sum(line.floor_usd_per_hour for line in self.lines) * HOURS_PER_MONTH

    @property
    def ceiling_usd_per_month(self) -> float:
        """What a month costs in which every ceiling is reached all the time."""
        return sum(line.ceiling_usd_per_hour for line in self.lines) * HOURS_PER_MONTH


@dataclass(frozen=True, slots=True)
class Prices:
    """On-demand prices of one region, the stack's own additions first."""

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


def bill(draft: Draft) -> Bill | None:
    """The bill of what could be read; None where region or cost settings are missing."""
    if draft.region is None or draft.cost is None:
        return None
    prices = Prices(draft.region, draft.cost)
    lines = [Line("control plane", CONTROL_PLANE_USD_PER_HOUR, CONTROL_PLANE_USD_PER_HOUR)]
    if draft.network is not None:
        lines += [_nat(draft.network), _endpoints(draft.network)]
    if draft.system_nodes is not None:
        lines.append(_system_nodes(draft.system_nodes, prices))
    planned = plan(draft.pools, draft.zones)
    lines += [_nodepool(each, prices) for each in planned]
    for cpu in draft.cpu_pools:
        types = _types(cpu.instance_types)
        lines.append(_capped(cpu.name, types, [each.vcpus for each in types], cpu.ceiling_vcpus, cpu.markets, prices))
    for neuron in draft.neuron_pools:
        types = _types(neuron.instance_types)
        sizes = [each.neuron_devices for each in types]
        lines.append(_capped(neuron.name, types, sizes, neuron.ceiling_devices, neuron.markets, prices))
    return Bill(tuple(lines), _unpriced(draft, planned, prices))


def faults(draft: Draft) -> list[Fault]:
    """A floor above the stack's own limit, and a ceiling above its budget."""
    whole = bill(draft)
    if whole is None or draft.cost is None:
        return []
    found: list[Fault] = []
    floor, ceiling = whole.floor_usd_per_month, whole.ceiling_usd_per_month
    if floor > draft.cost.monthly_floor_limit_usd:
        found.append(
            Fault(
                "cost.monthly_floor_limit_usd",
                f"{draft.cost.monthly_floor_limit_usd}, below the floor of ${floor:,.0f} a month",
                "a limit that the stack at rest keeps",
                "remove static nodes, or raise the limit",
            )
        )
    if ceiling > draft.cost.monthly_budget_usd:
        found.append(
            Fault(
                "cost.monthly_budget_usd",
                f"{draft.cost.monthly_budget_usd}, below the ${ceiling:,.0f} that a month at every ceiling costs",
                "a budget that the ceilings keep",
                "lower ceilings, or raise the budget",
            )
        )
    return found


def price_range_usd_per_hour(planned: PlannedNodePool, prices: Prices) -> tuple[float, float] | None:
    """The cheapest and the dearest node of a NodePool; None where no type has a price."""
    known = [
        found for each in planned.types if (found := prices.usd_per_hour(each.name, planned.market.market)) is not None
    ]
    return (min(known), max(known)) if known else None


def _nat(network: Network) -> Line:
    count = 0 if network.new is None else len(network.new.zones) if network.new.nat is Nat.PER_ZONE else 1
    return Line("NAT gateways", count * NAT_GATEWAY_USD_PER_HOUR, count * NAT_GATEWAY_USD_PER_HOUR)


def _endpoints(network: Network) -> Line:
    count = 0 if network.new is None else len(network.new.interface_endpoints) * len(network.new.zones)
    total = count * INTERFACE_ENDPOINT_USD_PER_HOUR
    return Line("interface endpoints", total, total)


def _system_nodes(nodes: SystemNodes, prices: Prices) -> Line:
    dearest = max((prices.usd_per_hour(name, Market.ON_DEMAND) or 0.0 for name in nodes.instance_types), default=0.0)
    volume = nodes.root_volume_gib * GP3_USD_PER_GIB_MONTH / HOURS_PER_MONTH
    total = nodes.nodes * (dearest + volume)
    return Line("system nodes", total, total)


def _nodepool(planned: PlannedNodePool, prices: Prices) -> Line:
    sizes = [each.cards for each in planned.types]
    market = planned.market.market
    if planned.replicas is not None:
        dearest = max((prices.usd_per_hour(each.name, market) or 0.0 for each in planned.types), default=0.0)
        return Line(planned.name, planned.replicas * dearest, planned.replicas * dearest)
    line = _capped(planned.name, planned.types, sizes, planned.ceiling_cards, (market,), prices)
    # A reservation is paid for whether it is used or not.
    return replace(line, floor_usd_per_hour=line.ceiling_usd_per_hour) if market is Market.RESERVED else line


def _capped(
    name: str,
    types: Iterable[InstanceType],
    sizes: list[int],
    ceiling: int,
    markets: Iterable[Market],
    prices: Prices,
) -> Line:
    """An elastic pool: nothing at rest, and at its ceiling the dearest mix of its types and markets."""
    per_unit = [
        cost / size
        for each, size in zip(types, sizes, strict=True)
        for market in markets
        if size and (cost := prices.usd_per_hour(each.name, market)) is not None
    ]
    return Line(name, 0.0, ceiling * max(per_unit, default=0.0))


def _types(given: tuple[str, ...]) -> list[InstanceType]:
    return [found for name in given if (found := instance_type(name))]


def _unpriced(draft: Draft, planned: tuple[PlannedNodePool, ...], prices: Prices) -> tuple[str, ...]:
    used = [each.name for one in planned for each in one.types]
    used += [name for pool in (*draft.cpu_pools, *draft.neuron_pools) for name in pool.instance_types]
    used += draft.system_nodes.instance_types if draft.system_nodes else ()
    return tuple(sorted({name for name in used if prices.usd_per_hour(name, Market.ON_DEMAND) is None}))
