"""Capacity types: how a node is bought. The values are Karpenter's (``karpenter.sh/capacity-type``)."""

from __future__ import annotations

import enum


class Market(enum.StrEnum):
    """How a node is bought."""

    RESERVED = "reserved"  # an on-demand capacity reservation or a capacity block, paid for already
    SPOT = "spot"  # cheap, taken back with two minutes' notice
    ON_DEMAND = "on-demand"  # list price, kept until given back
