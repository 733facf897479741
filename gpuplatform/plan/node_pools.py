"""The NodePools of a pool, and their labels, taints, order and ceilings.

Rendering, analysis, outputs and the command line all use this plan, so that a pool means the same to each of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from gpuplatform.catalog.cards import Card, card
from gpuplatform.catalog.instance_types import InstanceType, types_named
from gpuplatform.plan.division import cards_of_whole_nodes
from gpuplatform.settings.pools import CardChoice, CpuPool, MarketChoice, NeuronPool, Pool, Provisioner, Sharing
from gpuplatform.standard import keys, labels, names, resources, selection, taints
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
        """The standard's labels on the nodes."""
        return standard_labels(self.pool, self.card)

    @property
    def efa_label(self) -> dict[str, str]:
        """The label that EFA's device plugin selects; empty where the pool has no EFA."""
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
        """The most physical cards of the NodePool, in whole nodes; for a static NodePool the cards of its nodes."""
        cards_per_node = frozenset(node_type.cards for node_type in self.types)
        if self.replicas is not None:
            return self.replicas * max(cards_per_node)
        return cards_of_whole_nodes(self.market.ceiling_cards or 0, cards_per_node)


def unit_resource(pool: Pool) -> str:
    """The resource of which a pod on the pool requests units: whole cards, shares or MIG slices."""
    sharing = pool.sharing
    if isinstance(sharing, Sharing) and sharing.mig is not None:
        return resources.mig_resource(sharing.mig)
    return resources.GPU


def offered_resources(pools: Iterable[Pool], neuron_pools: Iterable[NeuronPool]) -> frozenset[str]:
    """Every card, share, slice and device resource that some pool offers, and that a quota can thus count."""
    neuron = {resources.NEURON for _ in neuron_pools}
    return frozenset({unit_resource(pool) for pool in pools} | neuron)


def efa_label() -> dict[str, str]:
    """The label of nodes with EFA interfaces, which EFA's device plugin selects."""
    return {keys.EFA: "true"}


def needs_named_interfaces(pool: Pool) -> bool:
    """Whether the node class of a pool with EFA has to name the interfaces, because no pod's request adds them.

    A static NodeClaim carries no pod requests. On an elastic pool Karpenter attaches those that a pod requests,
    from network card 0 on (aws/karpenter-provider-aws v1.14.1 pkg/providers/launchtemplate/launchtemplate.go). This is
    wrong for a type whose card 0 takes no EFA.
    """
    return pool.nodes is not None or any(cards.start for cards in efa_layouts(pool))


def mig_profile(pool: Pool) -> str | None:
    """The MIG profile that the pool's cards are cut into, or None."""
    return pool.sharing.mig if isinstance(pool.sharing, Sharing) else None


def claim_template(pool: Pool) -> str | None:
    """The ResourceClaimTemplate that a pod of the pool names; None where its cards are counted, not claimed."""
    return names.claim_template(mig_profile(pool)) if pool.dra else None


def shares_per_card(pool: Pool) -> int | None:
    """Shares of one card under time-slicing or MPS; None where cards are whole or cut by MIG."""
    return pool.sharing.shares_per_card if isinstance(pool.sharing, Sharing) else None


def units_per_card(pool: Pool, of: Card) -> int:
    """Units of the pool's resource on one card: slices, shares or 1; 0 if the card lacks the profile."""
    profile = mig_profile(pool)
    if profile is None:
        return shares_per_card(pool) or 1
    table = of.geometry
    card_profile = table.profile(profile) if table else None
    return card_profile.max_instances if card_profile else 0


def standard_labels(pool: Pool, of: Card) -> dict[str, str]:
    """All labels of the standard for one card of a pool."""
    profile = mig_profile(pool)
    label_set = {
        labels.VENDOR.key: "nvidia",
        labels.MODEL.key: of.model,
        labels.MEMORY.key: labels.memory_value(of.memory_gb),
        labels.MIG.key: labels.MIG_ENABLED if profile else labels.MIG_DISABLED,
    }
    if profile:
        label_set[labels.MIG_PROFILE.key] = labels.profile_value(profile)
    label_set[labels.ROLE.key] = pool.role.value
    label_set[labels.PURPOSE.key] = pool.purpose.value
    return label_set


def taints_of(pool: Pool) -> tuple[taints.Taint, ...]:
    """The standard's taints, the architecture's and the pool's own, in this order."""
    pool_taints = tuple(taints.Taint(taint.key, taint.value, taint.effect) for taint in pool.taints)
    standard = taints.standard_taints(pool.purpose, pool.role, pool.taint_effect)
    return standard + taints.architecture_taints(architectures(instance_type_names(pool))) + pool_taints


def taints_without_cards(pool: CpuPool | NeuronPool) -> tuple[taints.Taint, ...]:
    """The taints on the nodes of a pool without NVIDIA cards: its devices' and its architecture's."""
    devices = (taints.NEURON_TAINT,) if isinstance(pool, NeuronPool) else ()
    return devices + taints.architecture_taints(architectures(pool.instance_types))


def instance_type_names(pool: Pool) -> tuple[str, ...]:
    """Every instance type of a GPU pool, those of its first card first."""
    return tuple(name for choice in pool.cards for name in choice.instance_types)


def architectures(names_of_types: Iterable[str]) -> tuple[str, ...]:
    """The architectures of the known types, each once; settings with more than one are refused."""
    return tuple(sorted({node.architecture for node in types_named(names_of_types)}))


def efa_layouts(pool: Pool) -> tuple[range, ...]:
    """The network cards on which the pool's types have EFA interfaces: one range for each distinct layout."""
    types = types_named(instance_type_names(pool))
    return tuple(dict.fromkeys(node.efa_cards for node in types if node.efa_cards))


def selection_of(pool: Pool) -> Selection:
    """How a pod selects the pool: model, memory and market only where the pool has a single value of each."""
    cards = [known_card for choice in pool.cards if (known_card := card(choice.card))]
    models = {known_card.model for known_card in cards}
    memories = {labels.memory_value(known_card.memory_gb) for known_card in cards}
    markets = {market.market for choice in pool.cards for market in choice.markets}
    one_card = len(cards) == 1 or (len(models) == 1 and len(memories) == 1)
    return Selection(
        purpose=pool.purpose,
        role=pool.role,
        mig_profile=mig_profile(pool),
        model=next(iter(models)) if one_card and cards else None,
        memory=next(iter(memories)) if one_card and cards else None,
        market=next(iter(markets)) if len(markets) == 1 and pool.provisioner is Provisioner.KARPENTER else None,
    )


def nodepools_of(pool: Pool, network_zones: Sequence[str]) -> tuple[PlannedNodePool, ...]:
    """The NodePools of one pool in order of preference, without weights.

    Market comes before card: every card on the first market is tried before any card on the second. Choices with an
    unknown card or only unknown types are left out; the checks report them.
    """
    rungs = [
        (position, index, choice, market)
        for index, choice in enumerate(pool.cards)
        for position, market in enumerate(choice.markets)
    ]
    planned: list[PlannedNodePool] = []
    for _, _, choice, market in sorted(rungs, key=lambda rung: rung[:2]):
        known_card = card(choice.card)
        types = types_named(choice.instance_types)
        if known_card is None or not types:
            continue
        node_pool = PlannedNodePool(
            names.nodepool(pool.name, known_card.name, market.market),
            pool,
            choice,
            market,
            known_card,
            types,
            tuple(pool.zones or network_zones),
            weight=None,
            replicas=None,
        )
        planned += _per_zone(node_pool, network_zones) if pool.nodes is not None else [node_pool]
    return tuple(planned)


def static_zones(pool: Pool, network_zones: Sequence[str]) -> tuple[str, ...]:
    """The zones of a static pool: those that it names, else the first zone of the network."""
    return tuple(pool.zones or network_zones[:1])


def _per_zone(node_pool: PlannedNodePool, network_zones: Sequence[str]) -> list[PlannedNodePool]:
    zones = static_zones(node_pool.pool, network_zones)
    nodes_per_zone = (node_pool.pool.nodes or 0) // max(1, len(zones))
    return [
        replace(
            node_pool,
            name=_static_name(node_pool, zone),
            zones=(zone,),
            replicas=nodes_per_zone,
        )
        for zone in zones
    ]


def _static_name(node_pool: PlannedNodePool, zone: str) -> str:
    name = names.nodepool(node_pool.pool.name, node_pool.card.name, node_pool.market.market, zone)
    if node_pool.pool.provisioner is Provisioner.KARPENTER:
        return name
    return names.node_group(name, (node_type.name for node_type in node_pool.types))


@lru_cache(maxsize=16)
def plan(pools: tuple[Pool, ...], network_zones: tuple[str, ...]) -> tuple[PlannedNodePool, ...]:
    """Every NodePool of a stack, weighted: a distinct weight for each elastic one, in the order of the file.

    It is computed once for a stack; every check, analysis and document of a run gets the same NodePools.
    Karpenter's weights end at 1; NodePools past the hundredth share it, and a check warns about this.
    """
    weighted: list[PlannedNodePool] = []
    weight = MAX_WEIGHT
    for pool in pools:
        for node_pool in nodepools_of(pool, network_zones):
            if node_pool.replicas is not None:
                weighted.append(node_pool)
                continue
            weighted.append(replace(node_pool, weight=max(1, weight)))
            weight -= 1
    return tuple(weighted)


def markets_of(pool: Pool) -> tuple[Market, ...]:
    """The markets that the pool uses, each once, in order of preference."""
    return tuple(dict.fromkeys(market.market for choice in pool.cards for market in choice.markets))


def reached(pool: Pool, candidates: Iterable[PlannedNodePool]) -> tuple[PlannedNodePool, ...]:
    """The NodePools among the candidates on which a pod with the pool's block could land."""
    node_selector = selection_of(pool).as_labels()
    answers = taints.tolerations(taints_of(pool))
    resource = unit_resource(pool)
    return tuple(
        candidate
        for candidate in candidates
        if unit_resource(candidate.pool) == resource
        and selection.matches(node_selector, candidate.node_labels)
        and not taints.untolerated(candidate.taints, answers)
    )
