"""How an amount is divided over places: in proportion, or in whole nodes where a node holds several units."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Destination:
    """A place that may take a part of the amount."""

    name: str
    free: int
    node: int
    """Units of one node; 1 where a part of a node is as useful as the whole."""

    @property
    def nodes(self) -> int:
        """Number of whole nodes that are free."""
        return max(0, self.free) // self.node


def apportion(amount: int, weights: Mapping[str, int]) -> dict[str, int]:
    """Whole parts of an amount, in proportion to the weights; the largest remainders get the rest.

    The parts sum to the amount if any weight is above zero. No part exceeds its weight if the amount is at most the sum
    of the weights.
    """
    total = sum(weights.values())
    if not total:
        return dict.fromkeys(weights, 0)
    parts = {name: amount * weight // total for name, weight in weights.items()}
    by_remainder = sorted(weights, key=lambda name: -(amount * weights[name] % total))
    for name in by_remainder[: amount - sum(parts.values())]:
        parts[name] += 1
    return parts


def in_whole_nodes(amount: int, places: Sequence[Destination]) -> dict[str, int]:
    """The part of an amount that fits into whole nodes, with no more in any place than is free there.

    Large nodes are filled first, because half of a large node is of no use to a job that needs a whole one; small nodes
    take the rest. Among nodes of one size, and between sizes, the parts are in proportion to the free nodes.
    """
    parts = dict.fromkeys((place.name for place in places), 0)
    rest = amount
    for size in sorted({place.node for place in places}, reverse=True):
        alike = {place.name: place.nodes for place in places if place.node == size}
        most = sum(alike.values())
        below = sum(place.nodes * place.node for place in places if place.node < size)
        if not most:
            continue
        nearest = (2 * rest * most + most * size + below) // (2 * (most * size + below))
        least = -(-(rest - below) // size)
        count = min(max(nearest, least, 0), most, rest // size)
        for name, nodes in apportion(count, alike).items():
            parts[name] = nodes * size
        rest -= count * size
    return parts


@functools.cache
def cards_of_whole_nodes(ceiling_cards: int, cards_per_node: frozenset[int]) -> int:
    """The most cards that nodes of these sizes make together without passing the ceiling.

    Karpenter launches no node that would pass a NodePool's limit (kubernetes-sigs/karpenter v1.14.1,
    pkg/controllers/provisioning/scheduling/scheduler.go, filterByRemainingResources).
    """
    sizes = [cards for cards in cards_per_node if cards > 0]
    if not sizes or ceiling_cards < min(sizes):
        return 0
    largest = max(sizes)
    # Among `largest` smaller nodes, some together have a multiple of `largest` cards and can be replaced by the largest
    # nodes. So a best choice under a high ceiling contains largest nodes: they are set aside, and the rest of the
    # ceiling is small enough to try every sum.
    set_aside = max(0, (ceiling_cards - largest**2) // largest) * largest
    rest = ceiling_cards - set_aside
    sums = {0}
    for total in range(rest + 1):
        if any(total - cards in sums for cards in sizes):
            sums.add(total)
    return set_aside + max(sums)
