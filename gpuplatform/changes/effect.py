"""What becomes of one thing that a stack made: its fate, why, and when."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Thing(enum.StrEnum):
    """What a stack makes."""

    CLUSTER = "cluster"
    CONTENTS = "contents of the cluster"
    NETWORK = "network"
    NODE_GROUP = "node group"
    NODEPOOL = "NodePool"
    ADDON = "add-on"
    RELEASE = "release"
    OBJECT = "object"


class Fate(enum.StrEnum):
    """What happens to it."""

    REPLACED = "replaced"  # its nodes, or it itself, give way to new ones
    ROLLED = "rolled"  # its nodes are replaced one after the other, by EKS
    CHANGED = "changed"  # in place: nothing that runs is replaced
    IMPOSSIBLE = "impossible"  # AWS refuses it in the middle of an `up`
    NEW = "new"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class Effect:
    """The fate of one thing."""

    thing: Thing
    name: str
    fate: Fate
    reasons: tuple[str, ...] = ()
    """Each difference that leads to it, in words."""
    when: str = ""
    """When it happens, where that is not during the `up`."""
