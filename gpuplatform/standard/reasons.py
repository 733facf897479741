"""Why Karpenter disrupts a node of its own accord; the values are Karpenter's (budgets of a NodePool)."""

from __future__ import annotations

import enum


class Reason(enum.StrEnum):
    """What a budget can be about."""

    DRIFTED = "Drifted"  # its template has changed
    EMPTY = "Empty"
    UNDERUTILIZED = "Underutilized"  # its pods fit elsewhere, cheaper
