"""What a stack may cost, and what its prices assume."""

from __future__ import annotations

import datetime
from typing import Annotated

from pydantic import Field

from gpuplatform.settings.model import Model

MOST_USD = 10**12
"""More than anybody spends in a month, and few enough digits for arithmetic."""


class PriceOverride(Model):
    """A price that the catalogue does not know for the stack's region, or one of the stack's own in its place."""

    instance_type: str
    usd_per_hour: Annotated[float, Field(gt=0, le=1_000_000)]
    """On demand."""
    source: Annotated[str, Field(min_length=1)]
    """Where it comes from, with its date."""


class Cost(Model):
    """Limits that `check` and the policies hold."""

    monthly_floor_limit_usd: Annotated[int, Field(ge=0, le=MOST_USD)]
    """The most that the stack may cost in a month in which nobody runs anything."""
    monthly_budget_usd: Annotated[int, Field(ge=0, le=MOST_USD)]
    """The most that the stack may cost in a month in which every ceiling is reached."""
    spot_price_ratio: Annotated[float, Field(gt=0, le=1)] = 0.40
    """Spot price assumed, as a fraction of on demand; an assumption, stated wherever it is used."""
    spot_price_as_of: datetime.date | None = None
    """The day on which the ratio was true; without it the bill says that it was never looked up."""
    expected_use_percent: Annotated[int, Field(ge=0, le=100)] = 30
    """How much of every pool's ceiling, and of every quota, is used on average; a pool may say otherwise."""
    prices: tuple[PriceOverride, ...] = ()
