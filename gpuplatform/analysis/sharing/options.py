"""Every way to place a pod: on any priced type of the catalog, or on the pools of a stack."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from gpuplatform.analysis.sharing.need import Bound, Method, Need, Slots, carried_by_host, ruled_out, slots, times
from gpuplatform.catalog.cards import Card, cards
from gpuplatform.catalog.instance_types import InstanceType, instance_types
from gpuplatform.catalog.mig import MigProfile
from gpuplatform.plan.node_pools import PlannedNodePool, mig_profile, plan
from gpuplatform.plan.prices import Prices
from gpuplatform.settings.pools import MAX_MPS_SHARES, Pool, Sharing
from gpuplatform.settings.settings import Settings
from gpuplatform.standard import keys, labels
from gpuplatform.standard.labels import Role
from gpuplatform.standard.markets import Market

MIN_SHARES = 2
"""The device plugin refuses fewer (NVIDIA/k8s-device-plugin api/config/v1/replicas.go, v0.20.0)."""
PLATFORM_ARCHITECTURE = "amd64"
"""Advice without a stack uses only this one: an image built for one architecture does not run on the other."""


@dataclass(frozen=True, slots=True)
class Way:
    """A method of sharing and its figures on one card."""

    method: Method
    units_per_card: int
    """Slices, shares, or 1."""
    held_per_card: int
    """The units that fit into the card's memory; more than ``units_per_card`` where the host limits the pods."""
    unit_memory_gb: float
    """The nominal memory of one unit, or of the profile's name; a workload sees a little less."""
    profile: str | None = None
    """The MIG profile; None for other methods."""

    @property
    def setting(self) -> str:
        """The pool's ``sharing`` of this way, as the settings write it."""
        match self.method:
            case Method.WHOLE:
                return "exclusive"
            case Method.MIG:
                return f"{{mig: {self.profile}}}"
            case Method.MPS:
                return f"{{mps: {self.units_per_card}}}"
            case Method.TIME_SLICING:
                return f"{{time_slicing: {self.units_per_card}}}"

    def __str__(self) -> str:
        if self.method is Method.WHOLE:
            return "whole card"
        return (
            f"{self.method} {self.profile}"
            if self.profile
            else f"{self.method} \N{MULTIPLICATION SIGN}{self.units_per_card}"
        )


@dataclass(frozen=True, slots=True)
class Option:
    """One way to place the pod, on one instance type."""

    way: Way
    card: Card
    node: InstanceType
    market: Market
    node_usd_per_hour: float
    slots: Slots
    planned: PlannedNodePool | None = None
    """The stack's NodePool of the option; None without a stack."""

    @property
    def usd_per_slot(self) -> float:
        """The price of one pod for an hour, on a node that is full of such pods."""
        return self.node_usd_per_hour / self.slots.count

    @property
    def pool(self) -> Pool | None:
        """The stack's pool of the option; None without a stack."""
        return self.planned.pool if self.planned else None


def of_catalog(need: Need, prices: Prices) -> tuple[Option, ...]:
    """Every way on every priced type that can hold the pod."""
    market = Market.SPOT if need.interruptible else Market.ON_DEMAND
    options: list[Option] = []
    for node, card in candidates():
        cost = prices.usd_per_hour(node.name, market)
        if cost is None:
            continue
        for way in _ways(card, node, need):
            room = slots(node, way.held_per_card, need)
            if room.count:
                options.append(Option(way, card, node, market, cost, room))
    return tuple(options)


def candidates() -> Iterator[tuple[InstanceType, Card]]:
    """The types for advice without a stack, each with its card; legacy cards are left out."""
    for node in instance_types().values():
        card = node.nvidia_card
        if card is not None and not card.legacy and node.architecture == PLATFORM_ARCHITECTURE:
            yield node, card


def priced_candidates(prices: Prices) -> tuple[tuple[InstanceType, Card], ...]:
    """The candidates that have a price."""
    return tuple(
        candidate for candidate in candidates() if prices.usd_per_hour(candidate[0].name, Market.ON_DEMAND) is not None
    )


def of_stack(need: Need, settings: Settings, prices: Prices) -> tuple[tuple[Option, ...], Mapping[str, str]]:
    """Every option on the stack's pools, and the reason for each pool that has no option."""
    options: list[Option] = []
    reasons: dict[str, list[str]] = {}
    for planned in plan(settings.pools, settings.network.zones):
        obstacles = reasons.setdefault(planned.pool.name, [])
        why = _unsuitable(planned, need)
        if why is not None:
            obstacles.append(why)
            continue
        way = way_of(planned.pool, planned.card)
        for node in planned.types:
            cost = prices.usd_per_hour(node.name, planned.market.market)
            room = slots(node, way.units_per_card, need)
            if cost is None:
                obstacles.append(f"no price of {node.name} in {prices.region} is known")
            elif not room.count:
                amount = "few" if room.bound is Bound.CARDS else "little"
                obstacles.append(f"{node.name} has too {amount} {room.bound} for this pod")
            else:
                options.append(Option(way, planned.card, node, planned.market.market, cost, room, planned))
    names = {option.pool.name for option in options if option.pool}
    return tuple(options), {name: "; ".join(dict.fromkeys(why)) for name, why in reasons.items() if name not in names}


def way_of(pool: Pool, card: Card) -> Way:
    """The way in which a pool shares a card."""
    sharing = pool.sharing
    if not isinstance(sharing, Sharing):
        return Way(Method.WHOLE, 1, 1, card.memory_gb)
    if (profile := mig_profile(pool)) is not None:
        table = card.geometry
        slice_profile = table.profile(profile) if table else None
        slices = slice_profile.max_instances if slice_profile else 0
        return Way(Method.MIG, slices, slices, slice_profile.memory_gb if slice_profile else 0, profile)
    shares = sharing.shares_per_card or 1
    method = Method.MPS if sharing.mps is not None else Method.TIME_SLICING
    return Way(method, shares, shares, card.memory_gb / shares)


def also_select(option: Option, need: Need) -> dict[str, str]:
    """The labels that a pod must select beside its pool's block, because other NodePools of the pool do not suit it."""
    pool, planned = option.pool, option.planned
    if pool is None or planned is None:
        return {}
    selection: dict[str, str] = {}
    cards_of_pool = [cards()[choice.card] for choice in pool.cards]
    if any(way_of(pool, card).unit_memory_gb < need.memory_gib for card in cards_of_pool):
        selection |= {key: planned.labels[key] for key in (labels.MODEL.key, labels.MEMORY.key)}
    markets = {market.market for choice in pool.cards for market in choice.markets}
    if len(markets) > 1 and Market.SPOT in markets and not need.interruptible:
        selection[keys.CAPACITY_TYPE] = option.market.value
    return selection


def first_tried(option: Option, options: Sequence[Option]) -> Option:
    """The option that the pool uses first for this pod: its NodePools are ordered by weight, not by price.

    ``options`` are those of the stack, in its order. The result is ``option`` itself where its NodePool is the first.
    """
    if option.planned is None:
        return option
    same_pool = [
        candidate
        for candidate in options
        if candidate.planned and candidate.planned.pool.name == option.planned.pool.name
    ]
    first = next((candidate.planned for candidate in same_pool), option.planned)
    if first == option.planned:
        return option
    return min(
        (candidate for candidate in same_pool if candidate.planned == first),
        key=lambda candidate: candidate.usd_per_slot,
    )


def _ways(card: Card, node: InstanceType, need: Need) -> Iterator[Way]:
    """The methods that suit the need, each with the number of units that the card's memory and the host allow."""
    if card.memory_gb < need.memory_gib:
        return
    yield Way(Method.WHOLE, 1, 1, card.memory_gb)
    if ruled_out(Method.MIG, need) is None:
        yield from _slices(card, node, need)
    for method in (Method.MPS, Method.TIME_SLICING):
        if ruled_out(method, need) is None:
            yield from _shares(method, card, node, need)


def _slices(card: Card, node: InstanceType, need: Need) -> Iterator[Way]:
    """The MIG profile that serves most pods of a node, the largest of several; all slices of a pool are equal."""
    table = card.geometry
    if table is None:
        return
    profiles = [
        profile
        for profile in table.without_attributes().profiles
        if profile.memory_gb >= need.memory_gib and profile.max_instances >= MIN_SHARES
    ]

    def worth(profile: MigProfile) -> tuple[int, int, int]:
        return slots(node, profile.max_instances, need).count, profile.compute_slices, profile.memory_gb

    if profiles:
        best = max(profiles, key=worth)
        yield Way(Method.MIG, best.max_instances, best.max_instances, best.memory_gb, best.name)


def _shares(method: Method, card: Card, node: InstanceType, need: Need) -> Iterator[Way]:
    """As many shares as fit into the card's memory, but no more than the host can use: so each has more of the card."""
    shares_by_memory = times(card.memory_gb, need.memory_gib)
    if method is Method.MPS:
        shares_by_memory = min(shares_by_memory, MAX_MPS_SHARES)
    usable = -(-carried_by_host(node, need) // node.cards)
    shares = min(shares_by_memory, usable)
    if shares >= MIN_SHARES:
        yield Way(method, shares, shares_by_memory, card.memory_gb / shares)


def _unsuitable(planned: PlannedNodePool, need: Need) -> str | None:
    """The reason why a NodePool does not suit the pod at any price; None where it suits."""
    pool = planned.pool
    if pool.role is Role.CHIEF:
        return "its fixed, protected nodes are for the chief of a job"
    if planned.market.market is Market.SPOT and not need.interruptible:
        return "its nodes are spot, and the pod is not interruptible"
    way = way_of(pool, planned.card)
    if (why := ruled_out(way.method, need)) is not None:
        return f"{way.method}: {why}"
    if way.unit_memory_gb < need.memory_gib:
        return f"one of its units has {way.unit_memory_gb:g} GB"
    return None
