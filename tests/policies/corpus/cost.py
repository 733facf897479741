"""Ways to publish a bill that exceeds its limits."""

from __future__ import annotations

from policies.rules.cost import BUDGET_KEPT
from tests.policies.documents import GONE, a_stack, but
from tests.policies.harness import Case, case

_COST = ("platform", "cost")

CASES: tuple[Case, ...] = (
    case(
        BUDGET_KEPT,
        "a ceiling above the budget",
        but(a_stack(), *_COST, "monthly_ceiling_usd", 150000.5),
        "150,000",
        "100,000, the monthly_budget_usd",
        "lower ceilings",
    ),
    case(
        BUDGET_KEPT,
        "a floor above its limit",
        but(a_stack(), *_COST, "monthly_floor_usd", 9000),
        "8,000, the monthly_floor_limit_usd",
        "remove static nodes",
    ),
    case(
        BUDGET_KEPT, "no budget", but(a_stack(), *_COST, "monthly_budget_usd", GONE), "so that the limit can be checked"
    ),
    case(BUDGET_KEPT, "no bill", but(a_stack(), *_COST, GONE), "platform.cost.monthly_floor_usd", "publish both"),
    case(BUDGET_KEPT, "a bill in words", but(a_stack(), *_COST, "monthly_ceiling_usd", "little"), "'little'"),
)
