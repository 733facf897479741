"""How many pods one node carries: the fewest that its cards, its CPU, its memory and its pod limit allow."""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass

from gpuplatform.catalog.instance_types import InstanceType
from gpuplatform.proofs.share.need import Need

_MIB_PER_GIB = 1024
_ROUNDING = 1e-9
"""So that 16 ÷ 3.2 is 5 in binary fractions too."""


class Bound(enum.StrEnum):
    """What a node runs out of first."""

    CARDS = "cards"
    CPU = "CPU"
    MEMORY = "host memory"
    PODS = "pod limit"


@dataclass(frozen=True, slots=True)
class Slots:
    """Pods of one kind on one node."""

    count: int
    by_cards: int
    """What its cards alone would serve."""
    bound: Bound

    @property
    def stranded(self) -> int:
        """Parts of its cards that no pod can use, because the host has no room for one."""
        return self.by_cards - self.count


def slots(node: InstanceType, units_per_card: int, need: Need) -> Slots:
    """Pods that fit on a node whose cards offer so many units each; what DaemonSets take is not subtracted."""
    by_cards = node.cards * units_per_card // need.cards
    limits = {Bound.CARDS: by_cards, **_by_host(node, need)}
    # Of equal limits the cards are named, because they are what more money buys.
    bound = min(limits, key=lambda each: limits[each])
    return Slots(limits[bound], by_cards, bound)


def carried_by_host(node: InstanceType, need: Need) -> int:
    """Pods that a node's host carries, whatever its cards are."""
    return min(_by_host(node, need).values())


def times(amount: float, need: float) -> int:
    """How many times a need is in an amount, whole."""
    return math.floor(amount / need + _ROUNDING)


def _by_host(node: InstanceType, need: Need) -> dict[Bound, int]:
    return {
        Bound.CPU: node.allocatable_cpu_millis // need.cpu_millis,
        Bound.MEMORY: times(node.allocatable_memory_mib, need.host_memory_gib * _MIB_PER_GIB),
        Bound.PODS: node.max_pods,
    }
