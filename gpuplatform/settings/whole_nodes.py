"""How many cards whole nodes make: a ceiling between two nodes buys no part of the second."""

from __future__ import annotations

import functools


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
    # Of `largest` smaller nodes some together make a multiple of `largest`, so a best choice under a high ceiling has
    # largest nodes in it: those are set aside, and what is left is small enough to try every sum.
    set_aside = max(0, (ceiling_cards - largest**2) // largest) * largest
    rest = ceiling_cards - set_aside
    sums = {0}
    for total in range(rest + 1):
        if any(total - cards in sums for cards in sizes):
            sums.add(total)
    return set_aside + max(sums)
