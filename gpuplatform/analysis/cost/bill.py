"""The cost of a stack at rest, at its expected use and at its ceilings, from list prices.

The floor is the cost of a stack without work: the control plane, system nodes, NAT, endpoints, static pools, capacity
reservations and all their volumes. The ceiling adds every elastic pool at its limit, filled in the most expensive way.
The expected cost fills ``expected_use_percent`` of every pool's ceiling as Karpenter does: NodePools by weight, the
cheapest type first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gpuplatform.catalog.instance_types import InstanceType, types_named
from gpuplatform.catalog.service_prices import HOURS_PER_MONTH, PricedService, gp3_usd_per_hour, usd_per_hour
from gpuplatform.plan.node_pools import PlannedNodePool, plan
from gpuplatform.plan.prices import Prices
from gpuplatform.settings.network import Nat, Network
from gpuplatform.settings.partial import PartialSettings
from gpuplatform.settings.pools import PLAIN_DISK, RootVolume, root_volume
from gpuplatform.settings.settings import Cost
from gpuplatform.standard.markets import Market

PLATFORM = "the platform itself"
"""The value of ``Line.pool`` in lines that belong to no pool."""


@dataclass(frozen=True, slots=True)
class Line:
    """One part of the bill, in USD per hour."""

    name: str
    pool: str
    """The pool of the settings that the line belongs to, or ``PLATFORM``."""
    floor_usd_per_hour: float
    expected_usd_per_hour: float
    ceiling_usd_per_hour: float
    on_demand_usd_per_hour: float
    """The ceiling with every node on demand; the difference from the ceiling is what spot saves."""


@dataclass(frozen=True, slots=True)
class Bill:
    """A stack's bill."""

    lines: tuple[Line, ...]
    unpriced: tuple[str, ...]
    """Instance types without a price in the region; the sums leave them out."""

    @property
    def floor_usd_per_month(self) -> float:
        """The cost of a month without work."""
        return sum(line.floor_usd_per_hour for line in self.lines) * HOURS_PER_MONTH

    @property
    def expected_usd_per_month(self) -> float:
        """The cost of a month in which the expected part of every ceiling is used."""
        return sum(line.expected_usd_per_hour for line in self.lines) * HOURS_PER_MONTH

    @property
    def ceiling_usd_per_month(self) -> float:
        """The cost of a month in which every ceiling is reached all the time."""
        return sum(line.ceiling_usd_per_hour for line in self.lines) * HOURS_PER_MONTH

    @property
    def on_demand_usd_per_month(self) -> float:
        """The cost of a month at every ceiling with every node on demand."""
        return sum(line.on_demand_usd_per_hour for line in self.lines) * HOURS_PER_MONTH


def bill(settings: PartialSettings) -> Bill | None:
    """The bill of the settings that could be read; None where region or cost settings are missing."""
    if settings.region is None or settings.cost is None:
        return None
    prices = Prices(settings.region, settings.cost)
    lines = [_fixed("control plane", usd_per_hour(PricedService.CONTROL_PLANE))]
    if settings.network is not None:
        lines += [_nat(settings.network), _endpoints(settings.network)]
    if settings.system_nodes is not None:
        nodes = settings.system_nodes
        node_usd_per_hour = _dearest(types_named(nodes.instance_types), Market.ON_DEMAND, prices)
        lines.append(
            _fixed("system nodes", nodes.nodes * (node_usd_per_hour + gp3_usd_per_hour(nodes.root_volume_gib)))
        )
    planned = plan(settings.pools, settings.zones)
    by_pool: dict[str, list[PlannedNodePool]] = {}
    for node_pool in planned:
        by_pool.setdefault(node_pool.pool.name, []).append(node_pool)
    for of_pool in by_pool.values():
        lines += _pool(of_pool, settings.cost, prices)
    use = settings.cost.expected_use_percent / 100
    for cpu in settings.cpu_pools:
        types = types_named(cpu.instance_types)
        sizes = [node.vcpus for node in types]
        lines.append(_elastic(cpu.name, _Fill(types, sizes, cpu.markets), cpu.ceiling_vcpus, use, prices))
    for neuron in settings.neuron_pools:
        types = types_named(neuron.instance_types)
        sizes = [node.neuron_devices for node in types]
        lines.append(_elastic(neuron.name, _Fill(types, sizes, neuron.markets), neuron.ceiling_devices, use, prices))
    return Bill(tuple(lines), _unpriced(settings, planned, prices))


def instance_types_of(settings: PartialSettings) -> set[str]:
    """Every instance type that the stack may launch."""
    names = {name for pool in settings.pools for choice in pool.cards for name in choice.instance_types}
    names |= {name for pool in (*settings.cpu_pools, *settings.neuron_pools) for name in pool.instance_types}
    return names | set(settings.system_nodes.instance_types if settings.system_nodes else ())


@dataclass(frozen=True, slots=True)
class _Fill:
    """The nodes that may fill an elastic NodePool: instance types, the units of each, and the markets."""

    types: Sequence[InstanceType]
    sizes: Sequence[int]
    markets: Sequence[Market]
    volume: RootVolume = PLAIN_DISK

    def per_unit(self, prices: Prices, markets: Iterable[Market]) -> list[float]:
        """The prices of a unit on each type and market, volume included; types without a price are left out."""
        disk = gp3_usd_per_hour(self.volume.size_gib, self.volume.iops, self.volume.throughput_mib_s)
        return [
            (cost + disk) / size
            for node, size in zip(self.types, self.sizes, strict=True)
            for market in markets
            if size and (cost := prices.usd_per_hour(node.name, market)) is not None
        ]


def _fixed(name: str, usd: float, pool: str = PLATFORM) -> Line:
    return Line(name, pool, usd, usd, usd, usd)


def _nat(network: Network) -> Line:
    count = 0 if network.new is None else len(network.new.zones) if network.new.nat is Nat.PER_ZONE else 1
    return _fixed("NAT gateways", count * usd_per_hour(PricedService.NAT_GATEWAY))


def _endpoints(network: Network) -> Line:
    count = 0 if network.new is None else len(network.new.interface_endpoints) * len(network.new.zones)
    return _fixed("interface endpoints", count * usd_per_hour(PricedService.INTERFACE_ENDPOINT_ZONE))


def _pool(planned: Sequence[PlannedNodePool], cost: Cost, prices: Prices) -> list[Line]:
    """The lines of one pool; its expected use fills its NodePools in the order of their weights."""
    own_percent = planned[0].pool.expected_use_percent
    use = (cost.expected_use_percent if own_percent is None else own_percent) / 100
    cards_left = use * sum(node_pool.ceiling_cards for node_pool in planned)
    filled: dict[str, float] = {}
    for node_pool in sorted(planned, key=lambda node_pool: -(node_pool.weight or 0)):
        filled[node_pool.name] = min(cards_left, node_pool.ceiling_cards)
        cards_left -= filled[node_pool.name]
    return [_nodepool(node_pool, filled[node_pool.name], prices) for node_pool in planned]


def _nodepool(planned: PlannedNodePool, expected_cards: float, prices: Prices) -> Line:
    market, pool = planned.market.market, planned.pool
    volume = root_volume(pool)
    if planned.replicas is not None:
        disk = gp3_usd_per_hour(volume.size_gib, volume.iops, volume.throughput_mib_s)
        return _fixed(planned.name, planned.replicas * (_dearest(planned.types, market, prices) + disk), pool.name)
    fill = _Fill(planned.types, [node.cards for node in planned.types], (market,), volume)
    part = expected_cards / planned.ceiling_cards if planned.ceiling_cards else 0.0
    line = _elastic(planned.name, fill, planned.ceiling_cards, part, prices, pool.name)
    # AWS bills a reservation whether it is used or not.
    return _fixed(planned.name, line.ceiling_usd_per_hour, pool.name) if market is Market.RESERVED else line


def _elastic(name: str, fill: _Fill, ceiling: int, use: float, prices: Prices, pool: str | None = None) -> Line:
    """An elastic pool: no cost at rest, the cheapest type for its expected use, the most expensive at its ceiling."""
    unit_prices = fill.per_unit(prices, fill.markets)
    on_demand = fill.per_unit(prices, (Market.ON_DEMAND,))
    return Line(
        name=name,
        pool=pool or name,
        floor_usd_per_hour=0.0,
        expected_usd_per_hour=use * ceiling * min(unit_prices, default=0.0),
        ceiling_usd_per_hour=ceiling * max(unit_prices, default=0.0),
        on_demand_usd_per_hour=ceiling * max(on_demand, default=0.0),
    )


def _dearest(types: Iterable[InstanceType], market: Market, prices: Prices) -> float:
    return max((prices.usd_per_hour(node.name, market) or 0.0 for node in types), default=0.0)


def _unpriced(settings: PartialSettings, planned: tuple[PlannedNodePool, ...], prices: Prices) -> tuple[str, ...]:
    names = instance_types_of(settings) | {node.name for node_pool in planned for node in node_pool.types}
    return tuple(sorted(name for name in names if prices.usd_per_hour(name, Market.ON_DEMAND) is None))
