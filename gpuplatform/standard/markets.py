"""Capacity types: how a node is paid for. The values are Karpenter's (``karpenter.sh/capacity-type``)."""

from __future__ import annotations

import enum


class Market(enum.StrEnum):
    """How a node is paid for."""

    RESERVED = "reserved"  # an on-demand capacity reservation or a capacity block, already paid for
    SPOT = "spot"  # cheap; AWS reclaims it with two minutes' notice
    ON_DEMAND = "on-demand"  # list price, kept until it is terminated


class Reason(enum.StrEnum):
    """Why Karpenter disrupts a node voluntarily; a disruption budget can be limited to such a reason."""

    DRIFTED = "Drifted"  # its template has changed
    EMPTY = "Empty"
    UNDERUTILIZED = "Underutilized"  # its pods fit elsewhere, cheaper
