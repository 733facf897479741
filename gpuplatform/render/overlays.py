"""NodeOverlays: what the autoscaler must believe about nodes whose cards are shared (G15, B4).

One for each shared NodePool, scoped to it by name. Slices are added under their own name and whole cards hidden;
shares replace the number of cards. Karpenter only simulates with it: the operator has to make the same number.
"""

from __future__ import annotations

from collections import defaultdict
from typing import cast

from gpuplatform.catalog.instance_types import InstanceType
from gpuplatform.render.document import Document, a
from gpuplatform.render.nodepools import requirement
from gpuplatform.settings.plan import PlannedNodePool, mig_profile, shares_per_card, unit_resource
from gpuplatform.standard import keys, resources

API_VERSION = "karpenter.sh/v1alpha1"


def overlays(planned: PlannedNodePool) -> list[Document]:
    """The overlays of one NodePool: none where its cards are whole, else one for each number of cards a node has."""
    if mig_profile(planned.pool) is None and shares_per_card(planned.pool) is None:
        return []
    by_cards: dict[int, list[InstanceType]] = defaultdict(list)
    for each in planned.types:
        by_cards[each.cards].append(each)
    return [_overlay(planned, cards, types, len(by_cards) > 1) for cards, types in sorted(by_cards.items())]


def capacity(planned: PlannedNodePool, cards: int) -> dict[str, str]:
    """What a node with so many cards offers."""
    units = str(cards * planned.units_per_card)
    if mig_profile(planned.pool) is None:
        return {resources.GPU: units}
    return {resources.GPU: "0", unit_resource(planned.pool): units}


def nodepool_of(document: Document) -> str:
    """The name of the NodePool that a rendered overlay is scoped to."""
    spec = cast(dict[str, list[dict[str, list[str]]]], document["spec"])
    return spec["requirements"][0]["values"][0]


def _overlay(planned: PlannedNodePool, cards: int, types: list[InstanceType], several: bool) -> Document:
    requirements = [requirement(keys.NODEPOOL, planned.name)]
    if several:
        requirements.append(requirement(keys.INSTANCE_TYPE, *(each.name for each in types)))
    name = f"{planned.name}-{cards}-cards" if several else planned.name
    return a(
        API_VERSION,
        "NodeOverlay",
        name,
        spec={"requirements": requirements, "capacity": capacity(planned, cards)},
    )
