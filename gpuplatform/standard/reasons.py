"""What the budgets of a NodePool tell apart; the values are Karpenter's."""

from __future__ import annotations

import enum


class Reason(enum.StrEnum):
    """Why Karpenter disrupts a node of its own accord; what a budget can be about."""

    DRIFTED = "Drifted"  # its template has changed
    EMPTY = "Empty"
    UNDERUTILIZED = "Underutilized"  # its pods fit elsewhere, cheaper
