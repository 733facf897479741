"""Checks of a stack's own prices, and of the account's role for spot.

Each price is of a type of the catalog and stands once; a price that replaces a list price is reported.
"""

from __future__ import annotations

import difflib
from collections import Counter

from gpuplatform.catalog.instance_types import instance_types
from gpuplatform.catalog.prices import price
from gpuplatform.faults import Fault, warning
from gpuplatform.settings.partial import PartialSettings
from gpuplatform.settings.pools import Pool
from gpuplatform.settings.settings import PriceOverride
from gpuplatform.standard.markets import Market


def check_prices(settings: PartialSettings) -> list[Fault]:
    """Faults of prices of unknown types and of repeated prices, and a warning for each replaced list price."""
    if settings.cost is None:
        return []
    counts = Counter(override.instance_type for override in settings.cost.prices)
    first_of_type = {override.instance_type: override for override in reversed(settings.cost.prices)}
    return [
        *(_unknown(name) for name in counts if name not in instance_types()),
        *(_twice(name, count) for name, count in counts.items() if count > 1),
        *(fault for override in first_of_type.values() for fault in _replaced(override, settings.region)),
    ]


def _unknown(name: str) -> Fault:
    suggestions = difflib.get_close_matches(name, instance_types(), n=1)
    change = f"write {suggestions[0]}" if suggestions else "remove the price, or add the type to the catalog"
    return Fault(f"cost.prices[{name}]", name, "an instance type of the catalog", change)


def _twice(name: str, count: int) -> Fault:
    return Fault(f"cost.prices[{name}]", f"{count} prices", "one price for each type", "keep one of them")


def _replaced(override: PriceOverride, region: str | None) -> list[Fault]:
    list_price = price(override.instance_type, region) if region else None
    if list_price is None or list_price.usd_per_hour == override.usd_per_hour:
        return []
    return [
        warning(
            f"cost.prices[{override.instance_type}]",
            f"${override.usd_per_hour:,.4f} an hour, in place of the list price ${list_price.usd_per_hour:,.4f}",
            f"the list price of {region} ({list_price.source}, {list_price.as_of}),"
            " or a price that AWS agreed with you",
            "keep it if it is in your contract: the whole bill of this stack is computed with it",
        )
    ]


def check_spot(settings: PartialSettings) -> list[Fault]:
    """A warning where a pool buys on spot and the settings do not say whether the role for spot exists."""
    if settings.account is None or settings.account.spot_service_linked_role is not None:
        return []
    pools = [
        *(pool.name for pool in settings.pools if _on_spot(pool)),
        *(pool.name for pool in (*settings.cpu_pools, *settings.neuron_pools) if Market.SPOT in pool.markets),
    ]
    if not pools:
        return []
    return [
        warning(
            "account.spot_service_linked_role",
            f"nothing, while {', '.join(pools)} may buy on spot",
            # aws/karpenter-provider-aws v1.14.1, pkg/providers/instance/instance.go.
            "create or present: without AWSServiceRoleForEC2Spot spot launches fail, Karpenter treats this as a lack of"
            " capacity, and every pod runs on on-demand or waits",
            "set create in one stack of the account, and present in the others",
        )
    ]


def _on_spot(pool: Pool) -> bool:
    return any(choice.market is Market.SPOT for card in pool.cards for choice in card.markets)
