"""Checks of instance types and cards: catalog, offer of the region, match of card and type, architecture, EFA."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from gpuplatform.catalog.cards import card, cards
from gpuplatform.catalog.instance_types import InstanceType, instance_type, instance_types, types_named, types_with_card
from gpuplatform.catalog.prices import Availability, offer
from gpuplatform.faults import Fault, warning
from gpuplatform.plan.node_pools import efa_layouts, instance_type_names, needs_named_interfaces
from gpuplatform.settings.partial import PartialSettings
from gpuplatform.settings.pools import CardChoice, Pool


def check_hardware(settings: PartialSettings) -> list[Fault]:
    """Faults of every instance type and card that the settings name."""
    faults: list[Fault] = []
    for pool in settings.pools:
        for choice in pool.cards:
            faults += _choice(pool, choice, settings)
    if settings.system_nodes:
        faults += _plain_types("system_nodes.instance_types", settings.system_nodes.instance_types, settings)
    for cpu in settings.cpu_pools:
        faults += _plain_types(f"cpu_pools[{cpu.name}].instance_types", cpu.instance_types, settings)
    for neuron in settings.neuron_pools:
        path = f"neuron_pools[{neuron.name}].instance_types"
        for name in neuron.instance_types:
            neuron_type, type_faults = _looked_up(path, name, settings)
            faults += type_faults
            if neuron_type and not neuron_type.neuron_devices:
                faults.append(Fault(path, name, "types with Inferentia or Trainium", "remove it"))
    return faults


def _choice(pool: Pool, choice: CardChoice, settings: PartialSettings) -> list[Fault]:
    path = f"pools[{pool.name}].cards[{choice.card}]"
    catalog_card = card(choice.card)
    faults: list[Fault] = []
    if catalog_card is None:
        suggestions = difflib.get_close_matches(choice.card, cards(), n=1)
        change = f"write {suggestions[0]}" if suggestions else "name a card of the catalog"
        faults.append(Fault(f"{path}.card", choice.card, f"a card of the catalog: {', '.join(cards())}", change))
    elif catalog_card.legacy:
        faults.append(
            warning(f"{path}.card", choice.card, "a card that NVIDIA still ships drivers for", "choose a newer card")
        )
    for name in choice.instance_types:
        card_type, type_faults = _looked_up(f"{path}.instance_types", name, settings)
        faults += type_faults
        if card_type:
            faults += _carries(pool, choice, card_type, path)
    return faults


def _carries(pool: Pool, choice: CardChoice, card_type: InstanceType, path: str) -> list[Fault]:
    types_path = f"{path}.instance_types"
    if card_type.fractional:
        return [
            Fault(types_path, card_type.name, "types with whole cards: it has a fraction of one", "choose another size")
        ]
    if card_type.card is None:
        return [Fault(types_path, card_type.name, "types with an NVIDIA card: it has none", "remove it")]
    if card_type.card != choice.card:
        others = ", ".join(node_type.name for node_type in types_with_card(choice.card)) or "none known"
        return [
            Fault(
                types_path,
                f"{card_type.name}, which carries {card_type.card}",
                f"types that carry {choice.card}: {others}. Nodes get the labels of the item's card",
                f"add {card_type.card} as a separate item under cards",
            )
        ]
    if pool.efa and card_type.efa_interfaces == 0:
        return [Fault(types_path, card_type.name, "types with EFA, because efa is true", "choose a type that has EFA")]
    return []


def _plain_types(path: str, names: tuple[str, ...], settings: PartialSettings) -> list[Fault]:
    faults: list[Fault] = []
    for name in names:
        cpu_type, type_faults = _looked_up(path, name, settings)
        faults += type_faults
        if cpu_type and (cpu_type.card or cpu_type.neuron_devices or cpu_type.fractional):
            faults.append(Fault(path, name, "types without accelerators", "choose a CPU type such as m7i.large"))
    return faults


def _looked_up(path: str, name: str, settings: PartialSettings) -> tuple[InstanceType | None, list[Fault]]:
    """The instance type of that name, or None, and the faults of naming it there."""
    node_type = instance_type(name)
    if node_type is None:
        suggestions = difflib.get_close_matches(name, instance_types(), n=3)
        change = f"write {' or '.join(suggestions)}" if suggestions else "choose a type of the catalog"
        return None, [Fault(path, name, "a type of the catalog", change)]
    if settings.region is None:
        return node_type, []
    stack_prices = {price.instance_type for price in settings.cost.prices} if settings.cost else set[str]()
    match offer(name, settings.region):
        case Availability.NOT_OFFERED:
            fault = Fault(path, name, f"a type that {settings.region} offers", "choose another type, or another region")
            return node_type, [fault]
        case Availability.UNKNOWN if name not in stack_prices:
            fault = warning(
                path,
                f"{name}, without a known public price in {settings.region}",
                "types with a price, because the bill and its limits need it",
                f"add {name} under cost.prices with its price and source",
            )
            return node_type, [fault]
        case _:
            return node_type, []


_ONE_POOL = "types of one architecture: a pool is one NodePool with one ceiling, and arm64 nodes have a taint"
_ONE_IMAGE = "types of one architecture: the node group has one image"


def check_architectures(settings: PartialSettings) -> list[Fault]:
    """Faults of pools, and of the system nodes, whose types have both architectures."""
    faults: list[Fault] = []
    for pool in settings.pools:
        change = "make a separate pool for each architecture"
        faults += _mixed(f"pools[{pool.name}].cards", _with_their_cards(pool), _ONE_POOL, change)
    change = "make a separate pool for each architecture, with a part of the ceiling"
    for cpu in settings.cpu_pools:
        faults += _mixed(f"cpu_pools[{cpu.name}].instance_types", types_named(cpu.instance_types), _ONE_POOL, change)
    for neuron in settings.neuron_pools:
        types = [node_type for node_type in types_named(neuron.instance_types) if node_type.neuron_devices]
        faults += _mixed(f"neuron_pools[{neuron.name}].instance_types", types, _ONE_POOL, change)
    if settings.system_nodes is not None:
        types = types_named(settings.system_nodes.instance_types)
        faults += _mixed("system_nodes.instance_types", types, _ONE_IMAGE, "keep the types of one architecture")
    return faults


def _mixed(path: str, types: Iterable[InstanceType], allowed: str, change: str) -> list[Fault]:
    by_architecture: dict[str, list[str]] = {}
    for node_type in types:
        by_architecture.setdefault(node_type.architecture, []).append(node_type.name)
    if len(by_architecture) < 2:
        return []
    types_by_architecture = "; ".join(
        f"{architecture}: {', '.join(names)}" for architecture, names in sorted(by_architecture.items())
    )
    return [Fault(path, types_by_architecture, allowed, change)]


def _with_their_cards(pool: Pool) -> list[InstanceType]:
    """The types that carry the card of their item; the others have a fault already."""
    return [
        node_type
        for choice in pool.cards
        for node_type in types_named(choice.instance_types)
        if node_type.card == choice.card
    ]


def check_efa(settings: PartialSettings) -> list[Fault]:
    """Faults of pools whose node class names network cards that some types lack, or that have no EFA there.

    Karpenter launches no type that lacks one of the cards (aws/karpenter-provider-aws v1.14.1
    pkg/providers/instancetype/compatibility/compatibility.go), and leaves interfaces of a larger type unused.
    """
    return [
        Fault(
            f"pools[{pool.name}].cards",
            _layouts(pool),
            "types with EFA on the same network cards: the node class names the cards for all of them, and a type that"
            " lacks one never launches",
            "keep the types with the same network cards, and make another pool for the rest",
        )
        for pool in settings.pools
        if pool.efa and needs_named_interfaces(pool) and len(efa_layouts(pool)) > 1
    ]


def _layouts(pool: Pool) -> str:
    types = [efa_type for efa_type in types_named(instance_type_names(pool)) if efa_type.efa_cards]
    return ", ".join(
        f"{efa_type.name} with EFA on cards {efa_type.efa_cards[0]} to {efa_type.efa_cards[-1]}" for efa_type in types
    )
