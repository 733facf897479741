"""Tools that a tier needs: if they are missing, the tier is skipped in one line, or fails where it is required."""

from __future__ import annotations

import os
from typing import TypeVar

import pytest

NOT_THERE = "tools are not there: make tools"

T = TypeVar("T")


def at_hand(tier: str, tool: T | None) -> T:
    """The tool, or a skip if it is missing. With ``GPU_PLATFORM_REQUIRE_<TIER>``, as in CI, the test fails instead."""
    if tool is not None:
        return tool
    if os.environ.get(f"GPU_PLATFORM_REQUIRE_{tier.upper()}"):
        pytest.fail(f"the {tier} tier is required here, and its {NOT_THERE}")
    pytest.skip(f"{tier} tier: its {NOT_THERE}")
