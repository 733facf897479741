"""Checks of each GPU, CPU and Neuron pool: ceilings, static pools, zones, markets, windows, and mixed sizes."""

from __future__ import annotations

import functools
import zoneinfo

from gpuplatform.catalog.instance_types import types_named
from gpuplatform.faults import Fault, warning
from gpuplatform.plan.division import cards_of_whole_nodes
from gpuplatform.plan.node_pools import MAX_WEIGHT, markets_of, plan, static_zones
from gpuplatform.plan.week import never_allowed
from gpuplatform.settings.disruption import Disruption
from gpuplatform.settings.partial import PartialSettings
from gpuplatform.settings.pools import CardChoice, MarketChoice, Pool, Provisioner
from gpuplatform.standard.labels import Role
from gpuplatform.standard.markets import Market


def check_pools(settings: PartialSettings) -> list[Fault]:
    """Faults of each GPU pool, and of their number."""
    faults: list[Fault] = []
    for pool in settings.pools:
        path = f"pools[{pool.name}]"
        faults += _zones(pool, path, settings.zones)
        faults += _static(pool, path, settings.zones)
        faults += windows(f"{path}.disruption", pool.disruption)
        for choice in pool.cards:
            for market in choice.markets:
                faults += _market(pool, choice, market, f"{path}.cards[{choice.card}].markets[{market.market}]")
        faults += _sizes(pool, path)
    elastic = [node_pool for node_pool in plan(settings.pools, settings.zones) if node_pool.replicas is None]
    if len(elastic) > MAX_WEIGHT:
        faults.append(
            warning(
                "pools",
                f"{len(elastic)} elastic NodePools, so {len(elastic) - MAX_WEIGHT + 1} of them share the weight 1",
                f"{MAX_WEIGHT} distinct weights; Karpenter orders equal ones by reverse name",
                "merge card choices or markets",
            )
        )
    return faults


def _zones(pool: Pool, path: str, zones: tuple[str, ...]) -> list[Fault]:
    if not zones:
        return []
    return [
        Fault(f"{path}.zones", zone, f"zones of the network: {', '.join(zones)}", "choose one of those")
        for zone in pool.zones
        if zone not in zones
    ]


def _static(pool: Pool, path: str, zones: tuple[str, ...]) -> list[Fault]:
    faults: list[Fault] = []
    if pool.nodes is None:
        if pool.provisioner is Provisioner.MANAGED_NODE_GROUP:
            change = "add nodes: N, or leave the pool to Karpenter"
            faults.append(Fault(f"{path}.provisioner", pool.provisioner, "a static pool: nodes: N", change))
        if pool.role is Role.CHIEF:
            faults.append(
                Fault(
                    f"{path}.nodes",
                    "nothing",
                    "a fixed number of nodes, because a chief pool is static",
                    "add nodes: N",
                )
            )
        return faults
    faults += _node_group(pool, path)
    count = len(static_zones(pool, zones))
    if count and pool.nodes % count:
        faults.append(
            Fault(
                f"{path}.nodes",
                str(pool.nodes),
                f"a multiple of its {count} zones: Karpenter does not spread a static pool, so each zone is a NodePool",
                f"write {pool.nodes - pool.nodes % count or count} or {pool.nodes + count - pool.nodes % count}",
            )
        )
    if len(pool.cards) > 1 or len(markets_of(pool)) > 1:
        faults.append(
            Fault(
                f"{path}.cards",
                "several cards or markets",
                "one card and one market: a static pool has no order of preference",
                "keep one, and make another pool for the rest",
            )
        )
    cards_per_type = {node_type.cards for choice in pool.cards for node_type in types_named(choice.instance_types)}
    if len(cards_per_type) > 1:
        faults.append(
            Fault(
                f"{path}.cards",
                "types with different numbers of cards",
                "types with one number of cards, so that the ceiling is nodes × cards",
                "keep one instance type",
            )
        )
    return faults


def _node_group(pool: Pool, path: str) -> list[Fault]:
    """Faults of settings that EKS managed node groups do not support."""
    if pool.provisioner is Provisioner.KARPENTER:
        return []
    faults = [
        Fault(
            f"{path}.cards[{choice.card}].markets", market.market, "on-demand in a managed node group", "use on-demand"
        )
        for choice in pool.cards
        for market in choice.markets
        if market.market is not Market.ON_DEMAND
    ]
    for key, is_set in (
        ("efa", pool.efa),
        ("placement_group", pool.placement_group),
        ("disruption", pool.disruption.windows),
    ):
        if is_set:
            change = f"remove {key}, or leave the pool to Karpenter"
            faults.append(
                Fault(f"{path}.{key}", "set", "nothing in a managed node group: EKS has no such setting", change)
            )
    return faults


def _between_nodes(choice: CardChoice, market: MarketChoice, path: str) -> list[Fault]:
    """A warning for a ceiling that no number of whole nodes reaches: the rest is neither bought nor counted."""
    sizes = frozenset(node_type.cards for node_type in types_named(choice.instance_types) if node_type.cards)
    ceiling = market.ceiling_cards
    if ceiling is None or not sizes or ceiling < max(sizes):
        return []
    whole_node_cards = cards_of_whole_nodes(ceiling, sizes)
    if whole_node_cards == ceiling:
        return []
    per_node = " or ".join(str(cards) for cards in sorted(sizes))
    allowed = f"a sum of whole nodes of {per_node} cards: only {whole_node_cards} cards can be bought and are counted"
    change = f"write {whole_node_cards}, or {whole_node_cards + min(sizes)} for one more node"
    return [warning(path, str(ceiling), allowed, change)]


def _market(pool: Pool, choice: CardChoice, market: MarketChoice, path: str) -> list[Fault]:
    faults: list[Fault] = []
    if pool.nodes is not None and market.ceiling_cards is not None:
        faults.append(
            Fault(
                f"{path}.ceiling_cards",
                str(market.ceiling_cards),
                "none: the nodes of a static pool are its ceiling",
                "remove it",
            )
        )
    if pool.nodes is None and market.ceiling_cards is None:
        faults.append(Fault(f"{path}.ceiling_cards", "nothing", "a number of physical cards", "add ceiling_cards: N"))
    largest = max((node_type.cards for node_type in types_named(choice.instance_types)), default=0)
    if market.ceiling_cards is not None and market.ceiling_cards < largest:
        faults.append(
            Fault(
                f"{path}.ceiling_cards",
                str(market.ceiling_cards),
                f"at least {largest}, the cards of its largest type: otherwise that type never launches",
                f"write {largest} or more, or remove the largest type",
            )
        )
    faults += _between_nodes(choice, market, f"{path}.ceiling_cards")
    if (market.market is Market.RESERVED) != bool(market.reservation_ids):
        faults.append(
            Fault(
                f"{path}.reservation_ids",
                ", ".join(market.reservation_ids) or "none",
                "capacity reservations with market reserved, and only with it",
                "name the reservations, or remove them",
            )
        )
    if pool.role is Role.CHIEF and market.market is Market.SPOT:
        faults.append(
            Fault(path, "spot for a chief", "on-demand or reserved, because a chief is protected", "use on-demand")
        )
    return faults


def windows(path: str, disruption: Disruption) -> list[Fault]:
    """Faults of a pool's disruption windows."""
    if disruption.time_zone not in _time_zones():
        return [Fault(f"{path}.time_zone", disruption.time_zone, "an IANA time zone", "write one such as Asia/Seoul")]
    faults = [
        Fault(f"{path}.windows[{index}].start", "24:00", "a start from 00:00 to 23:59", "write 00:00 of the next day")
        for index, window in enumerate(disruption.windows)
        if window.start == "24:00"
    ]
    # A window with an invalid start never opens; the fault above already says so.
    return faults or [
        warning(
            f"{path}.windows",
            f"windows for {reason.value} that never open",
            f"a minute that is inside a window at every UTC offset that {disruption.time_zone} has in a year",
            "widen the window by the change of daylight saving time",
        )
        for reason in never_allowed(disruption)
    ]


@functools.cache
def _time_zones() -> frozenset[str]:
    return frozenset(zoneinfo.available_timezones())


def _sizes(pool: Pool, path: str) -> list[Fault]:
    """A warning for mixed sizes: Karpenter packs pods into the fewest nodes first, so one-card pods buy large types."""
    faults: list[Fault] = []
    for choice in pool.cards:
        counts = {node_type.name: node_type.cards for node_type in types_named(choice.instance_types)}
        large_types = sorted(name for name, cards in counts.items() if cards > 1)
        if large_types and len(set(counts.values())) > 1:
            faults.append(
                warning(
                    f"{path}.cards[{choice.card}].instance_types",
                    f"{', '.join(large_types)} beside one-card types",
                    "one size of node: Karpenter first packs pods into the fewest nodes and then compares prices, so"
                    " one-card pods buy the large types at up to twice the price of a card",
                    "make a separate pool with a taint for the large types",
                )
            )
    return faults


def check_other_pools(settings: PartialSettings) -> list[Fault]:
    """Faults of each CPU and Neuron pool."""
    faults: list[Fault] = []
    for pool in settings.cpu_pools:
        path = f"cpu_pools[{pool.name}]"
        largest = max((node_type.vcpus for node_type in types_named(pool.instance_types)), default=0)
        faults += _ceiling(f"{path}.ceiling_vcpus", pool.ceiling_vcpus, largest, "vCPUs")
        faults += _reserved(f"{path}.markets", pool.markets) + windows(f"{path}.disruption", pool.disruption)
    for neuron in settings.neuron_pools:
        path = f"neuron_pools[{neuron.name}]"
        devices = (node_type.neuron_devices for node_type in types_named(neuron.instance_types))
        faults += _ceiling(f"{path}.ceiling_devices", neuron.ceiling_devices, max(devices, default=0), "devices")
        faults += _reserved(f"{path}.markets", neuron.markets) + windows(f"{path}.disruption", neuron.disruption)
    return faults


def _ceiling(path: str, ceiling: int, largest: int, unit: str) -> list[Fault]:
    if ceiling >= largest:
        return []
    allowed = f"at least {largest}, the {unit} of its largest type: otherwise that type never launches"
    return [Fault(path, str(ceiling), allowed, f"write {largest} or more, or remove the largest type")]


def _reserved(path: str, markets: tuple[Market, ...]) -> list[Fault]:
    if Market.RESERVED not in markets:
        return []
    return [Fault(path, "reserved", "spot and on-demand: reservations are for GPU pools", "remove it")]
