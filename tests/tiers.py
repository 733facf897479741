"""What a tier needs of the machine: without it the tier is skipped in one line, or fails where it is required."""

from __future__ import annotations

import os
from typing import TypeVar

import pytest

NOT_THERE = "tools are not there: make tools"

T = TypeVar("T")


def at_hand(tier: str, found: T | None) -> T:
    """What was found. ``GPU_PLATFORM_REQUIRE_<TIER>`` is set where a skip would hide something: in CI."""
    if found is not None:
        return found
    if os.environ.get(f"GPU_PLATFORM_REQUIRE_{tier.upper()}"):
        pytest.fail(f"the {tier} tier is required here, and its {NOT_THERE}")
    pytest.skip(f"{tier} tier: its {NOT_THERE}")
