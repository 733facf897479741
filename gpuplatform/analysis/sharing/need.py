"""The needs of one pod, as its owner states them, and the pods of one kind that fit on a node."""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass

from gpuplatform.catalog.instance_types import InstanceType


@dataclass(frozen=True, slots=True)
class Need:
    """One pod; every amount is more than zero."""

    memory_gib: float
    """The memory of each of its cards."""
    isolation: bool
    """Whether its memory must be isolated, so that a fault of a neighbour does not end the pod."""
    bursty: bool
    """Whether it is idle most of the time, such as a notebook; False is steady work."""
    cpu_millis: int
    host_memory_gib: float
    cards: int = 1
    """Whole cards of one node; more than one cannot be shared."""
    interruptible: bool = False
    """Whether it may run on spot."""


class Method(enum.StrEnum):
    """The ways of sharing a card, the best isolated first."""

    WHOLE = "whole card"
    MIG = "MIG"
    MPS = "MPS"
    TIME_SLICING = "time-slicing"


def ruled_out(method: Method, need: Need) -> str | None:
    """The reason why a method does not suit a need at any price; None where it may suit."""
    if method is Method.WHOLE:
        return None
    if need.cards > 1:
        return "a pod with several cards takes them whole"
    if method is Method.MIG:
        return None
    if need.isolation:
        return "it isolates neither memory nor faults, and the pod needs isolation"
    if method is Method.MPS and need.bursty:
        return "its parts of the memory are fixed and stay unused with bursty work; it is for steady work of one team"
    if method is Method.TIME_SLICING and not need.bursty:
        return "pods take turns, so steady work waits for its neighbours; it is for bursty, interactive work"
    return None


_MIB_PER_GIB = 1024
_ROUNDING = 1e-9
"""Added before rounding down, so that 16 ÷ 3.2 is 5 in binary fractions too."""


class Bound(enum.StrEnum):
    """The resource that a node runs out of first."""

    CARDS = "cards"
    CPU = "CPU"
    MEMORY = "host memory"
    PODS = "pod limit"


@dataclass(frozen=True, slots=True)
class Slots:
    """Pods of one kind on one node."""

    count: int
    by_cards: int
    """The pods that its cards would serve if the host had room."""
    bound: Bound

    @property
    def stranded(self) -> int:
        """Slices or shares that no pod can use, because the host has no room for another pod."""
        return self.by_cards - self.count


def slots(node: InstanceType, units_per_card: int, need: Need) -> Slots:
    """Pods that fit on a node whose cards offer so many units each; DaemonSets' requests are not subtracted."""
    by_cards = node.cards * units_per_card // need.cards
    limits = {Bound.CARDS: by_cards, **_by_host(node, need)}
    # Of equal limits the cards are named, because they are what more money buys.
    bound = min(limits, key=lambda candidate: limits[candidate])
    return Slots(limits[bound], by_cards, bound)


def carried_by_host(node: InstanceType, need: Need) -> int:
    """Pods that fit on a node by CPU, memory and pod limit, without regard to its cards."""
    return min(_by_host(node, need).values())


def times(amount: float, need: float) -> int:
    """The number of whole times that a need fits into an amount."""
    return math.floor(amount / need + _ROUNDING)


def _by_host(node: InstanceType, need: Need) -> dict[Bound, int]:
    return {
        Bound.CPU: node.allocatable_cpu_millis // need.cpu_millis,
        Bound.MEMORY: times(node.allocatable_memory_mib, need.host_memory_gib * _MIB_PER_GIB),
        Bound.PODS: node.max_pods,
    }
