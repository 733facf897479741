"""Instance types and cards: in the catalogue, offered in the region, and what the settings say they are."""

from __future__ import annotations

import difflib

from gpuplatform.catalog.cards import card, cards
from gpuplatform.catalog.instance_types import InstanceType, instance_type, instance_types, types_with_card
from gpuplatform.catalog.prices import Offer, offer
from gpuplatform.faults import Fault, warning
from gpuplatform.settings.draft import Draft
from gpuplatform.settings.pools import CardChoice, Pool


def judge(draft: Draft) -> list[Fault]:
    """Every type and card that the file names, wherever it stands."""
    faults: list[Fault] = []
    for pool in draft.pools:
        for choice in pool.cards:
            faults += _choice(pool, choice, draft)
    if draft.system_nodes:
        faults += _plain_types("system_nodes.instance_types", draft.system_nodes.instance_types, draft)
    for cpu in draft.cpu_pools:
        faults += _plain_types(f"cpu_pools[{cpu.name}].instance_types", cpu.instance_types, draft)
    for neuron in draft.neuron_pools:
        path = f"neuron_pools[{neuron.name}].instance_types"
        for name in neuron.instance_types:
            known, found = _known(path, name, draft)
            faults += found
            if known and not known.neuron_devices:
                faults.append(Fault(path, name, "types with Inferentia or Trainium", "remove it"))
    return faults


def _choice(pool: Pool, choice: CardChoice, draft: Draft) -> list[Fault]:
    path = f"pools[{pool.name}].cards[{choice.card}]"
    chosen = card(choice.card)
    faults: list[Fault] = []
    if chosen is None:
        close = difflib.get_close_matches(choice.card, cards(), n=1)
        change = f"write {close[0]}" if close else "name a card of the catalogue"
        faults.append(Fault(f"{path}.card", choice.card, f"a card of the catalogue: {', '.join(cards())}", change))
    elif chosen.legacy:
        faults.append(
            warning(f"{path}.card", choice.card, "a card that NVIDIA still ships drivers for", "choose a newer card")
        )
    for name in choice.instance_types:
        known, found = _known(f"{path}.instance_types", name, draft)
        faults += found
        if known:
            faults += _carries(pool, choice, known, path)
    return faults


def _carries(pool: Pool, choice: CardChoice, known: InstanceType, path: str) -> list[Fault]:
    place = f"{path}.instance_types"
    if known.fractional:
        return [Fault(place, known.name, "types with whole cards: it has a fraction of one", "choose another size")]
    if known.card is None:
        return [Fault(place, known.name, "types with an NVIDIA card: it has none", "remove it")]
    if known.card != choice.card:
        others = ", ".join(each.name for each in types_with_card(choice.card)) or "none known"
        return [
            Fault(
                place,
                f"{known.name}, which carries {known.card}",
                f"types that carry {choice.card}: {others}. Labels are true only where a choice has one card",
                f"give {known.card} a choice of its own under cards",
            )
        ]
    if pool.efa and known.efa_interfaces == 0:
        return [Fault(place, known.name, "types with EFA, because efa is true", "choose a type that has EFA")]
    return []


def _plain_types(path: str, given: tuple[str, ...], draft: Draft) -> list[Fault]:
    faults: list[Fault] = []
    for name in given:
        known, found = _known(path, name, draft)
        faults += found
        if known and (known.card or known.neuron_devices or known.fractional):
            faults.append(Fault(path, name, "types without accelerators", "choose a CPU type such as m7i.large"))
    return faults


def _known(path: str, name: str, draft: Draft) -> tuple[InstanceType | None, list[Fault]]:
    known = instance_type(name)
    if known is None:
        close = difflib.get_close_matches(name, instance_types(), n=3)
        change = f"write {' or '.join(close)}" if close else "choose a type of the catalogue"
        return None, [Fault(path, name, "a type of the catalogue", change)]
    if draft.region is None:
        return known, []
    own_prices = {each.instance_type for each in draft.cost.prices} if draft.cost else set[str]()
    match offer(name, draft.region):
        case Offer.NOT_OFFERED:
            fault = Fault(path, name, f"a type that {draft.region} offers", "choose another type, or another region")
            return known, [fault]
        case Offer.UNKNOWN if name not in own_prices:
            fault = warning(
                path,
                f"{name}, of which no public price in {draft.region} was found",
                "a price, for the cost and budget proofs",
                f"add {name} under cost.prices with its price and source",
            )
            return known, [fault]
        case _:
            return known, []
