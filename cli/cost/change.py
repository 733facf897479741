"""What a change does to the bill, as a reviewer reads it."""

from __future__ import annotations

import json
from collections.abc import Iterable

from cli.cost.writing import money
from cli.reference.markdown import table
from cli.tables import aligned
from gpuplatform.catalog.service_prices import HOURS_PER_MONTH
from gpuplatform.proofs.cost import Difference, Line, Moved

_COLUMNS = ("USD a month", "at rest", "expected", "ceiling", "why")


def as_text(given: Difference) -> str:
    """Aligned; one line where nothing moves."""
    if not given.moved:
        return "the bill stays as it is"
    return "\n".join(aligned([_COLUMNS, *_rows(given)]))


def as_markdown(given: Difference) -> str:
    """For a comment on a pull request."""
    head = f"### Cost: {_signed(_ceiling(given))} USD a month at the ceiling, {_signed(_expected(given))} expected\n\n"
    return head + (table(_COLUMNS, _rows(given)) if given.moved else "The bill stays as it is.")


def as_json(given: Difference) -> str:
    """Figures before and after, in USD an hour."""
    months = (
        ("monthly_floor_usd", given.was.floor_usd_per_month, given.now.floor_usd_per_month),
        ("monthly_expected_usd", given.was.expected_usd_per_month, given.now.expected_usd_per_month),
        ("monthly_ceiling_usd", given.was.ceiling_usd_per_month, given.now.ceiling_usd_per_month),
    )
    return json.dumps(
        {
            **{name: [round(was, 2), round(now, 2)] for name, was, now in months},
            "lines": [
                {
                    "name": each.name,
                    "was": None if each.was is None else _hourly(each.was),
                    "now": None if each.now is None else _hourly(each.now),
                    "reasons": list(each.reasons),
                }
                for each in given.moved
            ],
        },
        indent=2,
    )


def _rows(given: Difference) -> Iterable[tuple[str, ...]]:
    for each in given.moved:
        figures = zip(_figures(each.was), _figures(each.now), strict=True)
        yield each.name, *(_moved(one, other) for one, other in figures), _why(each)
    total = (
        (given.was.floor_usd_per_month, given.now.floor_usd_per_month),
        (given.was.expected_usd_per_month, given.now.expected_usd_per_month),
        (given.was.ceiling_usd_per_month, given.now.ceiling_usd_per_month),
    )
    yield "total", *(_moved(one, other) for one, other in total), ""


def _why(moved: Moved) -> str:
    if moved.was is None:
        return "new"
    if moved.now is None:
        return "removed"
    return "; ".join(moved.reasons) or "the use moves between the NodePools of its pool"


def _figures(line: Line | None) -> tuple[float, float, float]:
    if line is None:
        return (0.0, 0.0, 0.0)
    hourly = (line.floor_usd_per_hour, line.expected_usd_per_hour, line.ceiling_usd_per_hour)
    floor, expected, ceiling = (each * HOURS_PER_MONTH for each in hourly)
    return floor, expected, ceiling


def _hourly(line: Line) -> dict[str, float]:
    return {
        "floor_usd_per_hour": round(line.floor_usd_per_hour, 4),
        "expected_usd_per_hour": round(line.expected_usd_per_hour, 4),
        "ceiling_usd_per_hour": round(line.ceiling_usd_per_hour, 4),
    }


def _moved(was: float, now: float) -> str:
    return money(now) if money(was) == money(now) else f"{money(was)} → {money(now)}"


def _signed(change: float) -> str:
    return f"{'+' if change >= 0 else '-'}{money(abs(change))}"


def _ceiling(given: Difference) -> float:
    return given.now.ceiling_usd_per_month - given.was.ceiling_usd_per_month


def _expected(given: Difference) -> float:
    return given.now.expected_usd_per_month - given.was.expected_usd_per_month
