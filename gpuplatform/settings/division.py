"""How an amount is divided over places: in proportion, and in whole nodes where nodes hold several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """Where a part may go."""

    name: str
    free: int
    node: int
    """What one node of it holds; 1 where parts of a node serve as well as all of it."""

    @property
    def nodes(self) -> int:
        """Whole nodes that are free."""
        return max(0, self.free) // self.node


def apportion(amount: int, weights: Mapping[str, int]) -> dict[str, int]:
    """Whole parts of an amount, in proportion to the weights; the largest remainders take what is left.

    The parts sum to the amount wherever some weight is not zero, and no part exceeds its weight while the amount is
    at most their sum.
    """
    total = sum(weights.values())
    if not total:
        return dict.fromkeys(weights, 0)
    parts = {name: amount * weight // total for name, weight in weights.items()}
    by_remainder = sorted(weights, key=lambda name: -(amount * weights[name] % total))
    for name in by_remainder[: amount - sum(parts.values())]:
        parts[name] += 1
    return parts


def in_whole_nodes(amount: int, places: Sequence[Place]) -> dict[str, int]:
    """As much of an amount as whole nodes take, no part beyond what is free.

    Large nodes come first: half of one serves no job that is made for it, and small ones take any rest. Among nodes of
    one size, and between the sizes, the parts are in proportion to what is free.
    """
    parts = dict.fromkeys((each.name for each in places), 0)
    left = amount
    for size in sorted({each.node for each in places}, reverse=True):
        alike = {each.name: each.nodes for each in places if each.node == size}
        most = sum(alike.values())
        below = sum(each.nodes * each.node for each in places if each.node < size)
        if not most:
            continue
        nearest = (2 * left * most + most * size + below) // (2 * (most * size + below))
        least = -(-(left - below) // size)
        count = min(max(nearest, least, 0), most, left // size)
        for name, nodes in apportion(count, alike).items():
            parts[name] = nodes * size
        left -= count * size
    return parts
