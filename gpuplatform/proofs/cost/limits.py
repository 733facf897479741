"""The bill against the stack's own limits (B9)."""

from __future__ import annotations

from gpuplatform.faults import Fault
from gpuplatform.proofs.cost.bill import bill
from gpuplatform.settings.draft import Draft


def faults(draft: Draft) -> list[Fault]:
    """A floor above the stack's own limit, and a ceiling above its budget."""
    whole = bill(draft)
    if whole is None or draft.cost is None:
        return []
    found: list[Fault] = []
    floor, ceiling = whole.floor_usd_per_month, whole.ceiling_usd_per_month
    if floor > draft.cost.monthly_floor_limit_usd:
        found.append(
            Fault(
                "cost.monthly_floor_limit_usd",
                f"{draft.cost.monthly_floor_limit_usd}, below the floor of ${floor:,.0f} a month",
                "a limit that the stack at rest keeps",
                "remove static nodes, or raise the limit",
            )
        )
    if ceiling > draft.cost.monthly_budget_usd:
        found.append(
            Fault(
                "cost.monthly_budget_usd",
                f"{draft.cost.monthly_budget_usd}, below the ${ceiling:,.0f} that a month at every ceiling costs",
                "a budget that the ceilings keep",
                "lower ceilings, or raise the budget",
            )
        )
    return found
