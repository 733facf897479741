"""What a pool becomes: its NodePools, their labels, taints, order and ceilings.

Rendering, proofs, outputs and the command line all start here, so that a pool means the same thing to each of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from gpuplatform.catalog.cards import Card, card
from gpuplatform.catalog.instance_types import InstanceType, instance_type
from gpuplatform.catalog.mig import geometry
from gpuplatform.settings.other_pools import CpuPool, NeuronPool
from gpuplatform.settings.pools import CardChoice, MarketChoice, Pool, Provisioner, Sharing
from gpuplatform.settings.whole_nodes import cards_of_whole_nodes
from gpuplatform.standard import keys, labels, names, resources, taints
from gpuplatform.standard.markets import Market
from gpuplatform.standard.selection import Selection

MAX_WEIGHT = 100
"""The highest weight that a NodePool may have (Karpenter v1 NodePool, spec.weight)."""


@dataclass(frozen=True, slots=True)
class PlannedNodePool:
    """One NodePool of a pool: a card, a market, and a zone where the pool is static."""

    name: str
    pool: Pool
    choice: CardChoice
    market: MarketChoice
    card: Card
    types: tuple[InstanceType, ...]
    zones: tuple[str, ...]
    weight: int | None
    """Preference among elastic NodePools, higher first; None where the pool is static."""
    replicas: int | None
    """Nodes of this NodePool where the pool is static."""

    @property
    def labels(self) -> dict[str, str]:
        """The standard's labels on its nodes."""
        return standard_labels(self.pool, self.card)

    @property
    def efa_label(self) -> dict[str, str]:
        """The label that draws EFA's device plugin to its nodes; none where the pool has no EFA."""
        return efa_label() if self.pool.efa else {}

    @property
    def node_labels(self) -> dict[str, str]:
        """The labels that a pod may select on: the standard's, and the capacity type where Karpenter adds it."""
        if self.pool.provisioner is Provisioner.MANAGED_NODE_GROUP:
            return self.labels
        return {**self.labels, keys.CAPACITY_TYPE: self.market.market.value}

    @property
    def taints(self) -> tuple[taints.Taint, ...]:
        """The taints on its nodes."""
        return taints_of(self.pool)

    @property
    def units_per_card(self) -> int:
        """Slices, shares or whole cards that one card offers."""
        return units_per_card(self.pool, self.card)

    @property
    def ceiling_cards(self) -> int:
        """The most physical cards that it may have, in whole nodes; a static NodePool's are its nodes' cards."""
        cards_per_node = frozenset(instance_type.cards for instance_type in self.types)
        if self.replicas is not None:
            return self.replicas * max(cards_per_node)
        return cards_of_whole_nodes(self.market.ceiling_cards or 0, cards_per_node)


def unit_resource(pool: Pool) -> str:
    """The resource that one pod of the pool asks for one of."""
    sharing = pool.sharing
    if isinstance(sharing, Sharing) and sharing.mig is not None:
        return resources.mig_resource(sharing.mig)
    return resources.GPU


def offered_resources(pools: Iterable[Pool], neuron_pools: Iterable[NeuronPool]) -> frozenset[str]:
    """Every card, share, slice and device resource that some pool offers: what a quota can count."""
    neuron = {resources.NEURON for _ in neuron_pools}
    return frozenset({unit_resource(pool) for pool in pools} | neuron)


def efa_label() -> dict[str, str]:
    """What marks the nodes with EFA interfaces, and what its device plugin selects."""
    return {keys.EFA: "true"}


def needs_named_interfaces(pool: Pool) -> bool:
    """Whether the node class of a pool with EFA has to name the interfaces, because no pod's request brings them.

    A static NodeClaim carries no pod requests. On an elastic pool Karpenter attaches what a pod asks for, beginning at
    network card 0 (aws/karpenter-provider-aws v1.14.1 pkg/providers/launchtemplate/launchtemplate.go), which is wrong
    for a type whose card 0 takes no EFA.
    """
    return pool.nodes is not None or any(cards.start for cards in efa_layouts(pool))


def mig_profile(pool: Pool) -> str | None:
    """The MIG profile that the pool's cards are cut into, or None."""
    return pool.sharing.mig if isinstance(pool.sharing, Sharing) else None


def shares_per_card(pool: Pool) -> int | None:
    """Pods that take turns or run at once on one card, or None where cards are whole or cut by MIG."""
    return pool.sharing.shares_per_card if isinstance(pool.sharing, Sharing) else None


def units_per_card(pool: Pool, of: Card) -> int:
    """What one card offers of the pool's resource: slices, shares or 1; 0 if the card lacks the profile."""
    profile = mig_profile(pool)
    if profile is None:
        return shares_per_card(pool) or 1
    table = geometry(of.mig_table) if of.mig_table else None
    known = table.profile(profile) if table else None
    return known.max_instances if known else 0


def standard_labels(pool: Pool, of: Card) -> dict[str, str]:
    """The whole label set of the standard for one card of a pool."""
    profile = mig_profile(pool)
    wanted = {
        labels.VENDOR.key: "nvidia",
        labels.MODEL.key: of.model,
        labels.MEMORY.key: labels.memory_value(of.memory_gb),
        labels.MIG.key: labels.MIG_ENABLED if profile else labels.MIG_DISABLED,
    }
    if profile:
        wanted[labels.MIG_PROFILE.key] = labels.profile_value(profile)
    wanted[labels.ROLE.key] = pool.role.value
    wanted[labels.PURPOSE.key] = pool.purpose.value
    return wanted


def taints_of(pool: Pool) -> tuple[taints.Taint, ...]:
    """The standard's taints, its architecture's and the pool's own, in that order."""
    own = tuple(taints.Taint(each.key, each.value, each.effect) for each in pool.taints)
    standard = taints.standard_taints(pool.purpose, pool.role, pool.taint_effect)
    return standard + taints.architecture_taints(architectures(instance_type_names(pool))) + own


def taints_without_cards(pool: CpuPool | NeuronPool) -> tuple[taints.Taint, ...]:
    """The taints on the nodes of a pool without NVIDIA cards: its devices' and its architecture's."""
    devices = (taints.NEURON_TAINT,) if isinstance(pool, NeuronPool) else ()
    return devices + taints.architecture_taints(architectures(pool.instance_types))


def instance_type_names(pool: Pool) -> tuple[str, ...]:
    """Every instance type of a GPU pool, of its first card first."""
    return tuple(name for choice in pool.cards for name in choice.instance_types)


def architectures(names_of_types: Iterable[str]) -> tuple[str, ...]:
    """The architectures of the types that the catalogue knows, each once; settings with more than one are refused."""
    return tuple(sorted({one.architecture for name in names_of_types if (one := instance_type(name))}))


def efa_layouts(pool: Pool) -> tuple[range, ...]:
    """On which network cards the pool's types have EFA interfaces: one entry for each layout."""
    types = (instance_type(name) for name in instance_type_names(pool))
    return tuple(dict.fromkeys(one.efa_cards for one in types if one and one.efa_cards))


def selection_of(pool: Pool) -> Selection:
    """How a pod names the pool: model and market only where the pool has one of them."""
    known = [found for choice in pool.cards if (found := card(choice.card))]
    models = {each.model for each in known}
    memories = {labels.memory_value(each.memory_gb) for each in known}
    markets = {each.market for choice in pool.cards for each in choice.markets}
    one_card = len(known) == 1 or (len(models) == 1 and len(memories) == 1)
    return Selection(
        purpose=pool.purpose,
        role=pool.role,
        mig_profile=mig_profile(pool),
        model=next(iter(models)) if one_card and known else None,
        memory=next(iter(memories)) if one_card and known else None,
        market=next(iter(markets)) if len(markets) == 1 and pool.provisioner is Provisioner.KARPENTER else None,
    )


def nodepools_of(pool: Pool, network_zones: Sequence[str]) -> tuple[PlannedNodePool, ...]:
    """The NodePools of one pool in order of preference, without weights.

    Market comes before card: every card on the first market is tried before any card on the second. Choices whose
    card or types the catalogue does not know are left out; the settings' judges name them.
    """
    rungs = [
        (position, index, choice, market)
        for index, choice in enumerate(pool.cards)
        for position, market in enumerate(choice.markets)
    ]
    planned: list[PlannedNodePool] = []
    for _, _, choice, market in sorted(rungs, key=lambda rung: rung[:2]):
        known = card(choice.card)
        types = tuple(found for name in choice.instance_types if (found := instance_type(name)))
        if known is None or not types:
            continue
        one = PlannedNodePool(
            names.nodepool(pool.name, known.name, market.market),
            pool,
            choice,
            market,
            known,
            types,
            tuple(pool.zones or network_zones),
            weight=None,
            replicas=None,
        )
        planned += _per_zone(one, network_zones) if pool.nodes is not None else [one]
    return tuple(planned)


def static_zones(pool: Pool, network_zones: Sequence[str]) -> tuple[str, ...]:
    """The zones of a static pool: those it names, else the network's first."""
    return tuple(pool.zones or network_zones[:1])


def _per_zone(one: PlannedNodePool, network_zones: Sequence[str]) -> list[PlannedNodePool]:
    zones = static_zones(one.pool, network_zones)
    each = (one.pool.nodes or 0) // max(1, len(zones))
    return [
        replace(
            one,
            name=_static_name(one, zone),
            zones=(zone,),
            replicas=each,
        )
        for zone in zones
    ]


def _static_name(one: PlannedNodePool, zone: str) -> str:
    name = names.nodepool(one.pool.name, one.card.name, one.market.market, zone)
    if one.pool.provisioner is Provisioner.KARPENTER:
        return name
    return names.node_group(name, (found.name for found in one.types))


def plan(pools: Iterable[Pool], network_zones: Sequence[str]) -> tuple[PlannedNodePool, ...]:
    """Every NodePool of a stack, weighted: a distinct weight for each elastic one, in the order of the file.

    Karpenter's weights end at 1; NodePools past the hundredth share it, which a judge warns about.
    """
    weighted: list[PlannedNodePool] = []
    weight = MAX_WEIGHT
    for pool in pools:
        for each in nodepools_of(pool, network_zones):
            if each.replicas is not None:
                weighted.append(each)
                continue
            weighted.append(replace(each, weight=max(1, weight)))
            weight -= 1
    return tuple(weighted)


def markets_of(pool: Pool) -> tuple[Market, ...]:
    """The markets that the pool uses, each once, in order of preference."""
    return tuple(dict.fromkeys(each.market for choice in pool.cards for each in choice.markets))
