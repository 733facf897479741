"""A stack's own prices: each of a type that the catalogue knows, once, and said where it replaces a list price."""

from __future__ import annotations

import difflib
from collections import Counter

from gpuplatform.catalog.instance_types import instance_types
from gpuplatform.catalog.prices import price
from gpuplatform.faults import Fault, warning
from gpuplatform.settings.cost import PriceOverride
from gpuplatform.settings.draft import Draft


def judge(draft: Draft) -> list[Fault]:
    """Prices of unknown types, prices given twice, and a warning for each that replaces a list price."""
    if draft.cost is None:
        return []
    counts = Counter(override.instance_type for override in draft.cost.prices)
    first_of_type = {override.instance_type: override for override in reversed(draft.cost.prices)}
    return [
        *(_unknown(name) for name in counts if name not in instance_types()),
        *(_twice(name, count) for name, count in counts.items() if count > 1),
        *(fault for override in first_of_type.values() for fault in _replaced(override, draft.region)),
    ]


def _unknown(name: str) -> Fault:
    close = difflib.get_close_matches(name, instance_types(), n=1)
    change = f"write {close[0]}" if close else "remove the price, or add the type to the catalogue"
    return Fault(f"cost.prices[{name}]", name, "an instance type of the catalogue", change)


def _twice(name: str, count: int) -> Fault:
    return Fault(f"cost.prices[{name}]", f"{count} prices", "one price for each type", "keep one of them")


def _replaced(override: PriceOverride, region: str | None) -> list[Fault]:
    listed = price(override.instance_type, region) if region else None
    if listed is None or listed.usd_per_hour == override.usd_per_hour:
        return []
    return [
        warning(
            f"cost.prices[{override.instance_type}]",
            f"${override.usd_per_hour:,.4f} an hour, in place of the list price ${listed.usd_per_hour:,.4f}",
            f"the list price of {region} ({listed.source}, {listed.as_of}), or a price that you were given",
            "keep it where your contract says so: every figure of this stack, and its budget, is computed with it",
        )
    ]
