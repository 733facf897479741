"""The effect of a change on one thing that a stack made: its fate, the reasons, and the time."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Thing(enum.StrEnum):
    """A kind of thing that a stack makes."""

    CLUSTER = "cluster"
    CONTENTS = "contents of the cluster"
    NETWORK = "network"
    NODE_GROUP = "node group"
    NODEPOOL = "NodePool"
    ADDON = "add-on"
    RELEASE = "release"
    OBJECT = "object"


class Fate(enum.StrEnum):
    """What happens to a thing."""

    REPLACED = "replaced"  # the thing itself or its nodes are replaced by new ones
    ROLLED = "rolled"  # EKS replaces its nodes one after the other
    CHANGED = "changed"  # in place: nothing that is running is replaced
    IMPOSSIBLE = "impossible"  # AWS refuses it during the `up`
    NEW = "new"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class Effect:
    """The fate of one thing."""

    thing: Thing
    name: str
    fate: Fate
    reasons: tuple[str, ...] = ()
    """The differences that lead to the fate, one line each."""
    when: str = ""
    """When it happens; empty for during the `up`."""
