"""What a change does to the bill, for a reviewer."""

from __future__ import annotations

import json
from collections.abc import Iterable

from cli.cost.writing import money
from cli.reference.markdown import table
from cli.text_table import text_table
from gpuplatform.analysis.cost import Difference, Line, Moved
from gpuplatform.catalog.service_prices import HOURS_PER_MONTH

_COLUMNS = ("USD a month", "at rest", "expected", "ceiling", "why")


def as_text(bills: Difference) -> str:
    """An aligned table; one line if nothing changes."""
    if not bills.moved:
        return "the cost does not change"
    return "\n".join(text_table([_COLUMNS, *_rows(bills)]))


def as_markdown(bills: Difference) -> str:
    """For a comment on a pull request."""
    ceiling_text, expected_text = _with_sign(_ceiling(bills)), _with_sign(_expected(bills))
    head = f"### Cost: {ceiling_text} USD a month at the ceiling, {expected_text} expected\n\n"
    return head + (table(_COLUMNS, _rows(bills)) if bills.moved else "The cost does not change.")


def as_json(bills: Difference) -> str:
    """Figures before and after, in USD an hour."""
    months = (
        ("monthly_floor_usd", bills.was.floor_usd_per_month, bills.now.floor_usd_per_month),
        ("monthly_expected_usd", bills.was.expected_usd_per_month, bills.now.expected_usd_per_month),
        ("monthly_ceiling_usd", bills.was.ceiling_usd_per_month, bills.now.ceiling_usd_per_month),
    )
    return json.dumps(
        {
            **{name: [round(was, 2), round(now, 2)] for name, was, now in months},
            "lines": [
                {
                    "name": change.name,
                    "was": None if change.was is None else _hourly(change.was),
                    "now": None if change.now is None else _hourly(change.now),
                    "reasons": list(change.reasons),
                }
                for change in bills.moved
            ],
        },
        indent=2,
    )


def _rows(bills: Difference) -> Iterable[tuple[str, ...]]:
    for change in bills.moved:
        figures = zip(_figures(change.was), _figures(change.now), strict=True)
        yield change.name, *(_before_and_after(before, after) for before, after in figures), _why(change)
    totals = (
        (bills.was.floor_usd_per_month, bills.now.floor_usd_per_month),
        (bills.was.expected_usd_per_month, bills.now.expected_usd_per_month),
        (bills.was.ceiling_usd_per_month, bills.now.ceiling_usd_per_month),
    )
    yield "total", *(_before_and_after(before, after) for before, after in totals), ""


def _why(change: Moved) -> str:
    if change.was is None:
        return "new"
    if change.now is None:
        return "removed"
    return "; ".join(change.reasons) or "usage moves between the NodePools of the pool"


def _figures(line: Line | None) -> tuple[float, float, float]:
    if line is None:
        return (0.0, 0.0, 0.0)
    hourly = (line.floor_usd_per_hour, line.expected_usd_per_hour, line.ceiling_usd_per_hour)
    floor, expected, ceiling = (usd_per_hour * HOURS_PER_MONTH for usd_per_hour in hourly)
    return floor, expected, ceiling


def _hourly(line: Line) -> dict[str, float]:
    return {
        "floor_usd_per_hour": round(line.floor_usd_per_hour, 4),
        "expected_usd_per_hour": round(line.expected_usd_per_hour, 4),
        "ceiling_usd_per_hour": round(line.ceiling_usd_per_hour, 4),
    }


def _before_and_after(was: float, now: float) -> str:
    return money(now) if money(was) == money(now) else f"{money(was)} → {money(now)}"


def _with_sign(change: float) -> str:
    return f"{'+' if change >= 0 else '-'}{money(abs(change))}"


def _ceiling(bills: Difference) -> float:
    return bills.now.ceiling_usd_per_month - bills.was.ceiling_usd_per_month


def _expected(bills: Difference) -> float:
    return bills.now.expected_usd_per_month - bills.was.expected_usd_per_month
