"""The bill as text for a terminal, as JSON, as Markdown."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from cli.cost.statement import Statement
from cli.reference.markdown import table
from cli.tables import aligned
from gpuplatform.catalog.service_prices import HOURS_PER_MONTH
from gpuplatform.proofs.cost import Line

_COLUMNS = ("USD a month", "at rest", "expected", "ceiling", "all on demand")


def as_text(given: Statement) -> str:
    """Aligned tables, then what they rest on."""
    settings = given.settings
    lines = [f"{settings.environment} in {settings.region}", ""]
    lines += aligned([_COLUMNS, *_bill_rows(given)])
    lines += ["", *_limits(given), "", "One unit for an hour, its part of the host included:"]
    lines += aligned([("nodepool", "unit", "USD from", "to"), *_unit_rows(given)], indent="  ")
    if given.teams:
        lines += ["", "Teams, each quota on the cheapest node that it may use, USD a month:"]
        lines += aligned([("tenant", "quota", "expected", "all of it"), *_team_rows(given)], indent="  ")
    if given.advice:
        lines += ["", "Advice (docs/reference/markets.md):"]
        lines += [f"  {each.pool} {each.says}" for each in given.advice]
    return "\n".join([*lines, "", *(f"note: {each}" for each in given.notes)])


def as_markdown(given: Statement) -> str:
    """The same for a page or a pull request."""
    settings = given.settings
    parts = [f"## Cost of {settings.environment} ({settings.region})\n", table(_COLUMNS, _bill_rows(given))]
    parts += ["", *(f"- {each}" for each in _limits(given)), ""]
    parts.append(table(("nodepool", "unit", "USD/h from", "to"), _unit_rows(given)))
    if given.teams:
        parts += ["", table(("tenant", "quota", "expected a month", "all of it"), _team_rows(given))]
    parts += ["", *(f"- {each.pool} {each.says}" for each in given.advice)]
    return "\n".join([*parts, *(f"- {each}" for each in given.notes)])


def as_json(given: Statement) -> str:
    """The figures, in USD an hour and a month."""
    whole, cost = given.bill, given.settings.cost
    document = {
        "environment": given.settings.environment,
        "region": given.settings.region,
        "monthly_floor_usd": _cents(whole.floor_usd_per_month),
        "monthly_expected_usd": _cents(whole.expected_usd_per_month),
        "monthly_ceiling_usd": _cents(whole.ceiling_usd_per_month),
        "monthly_on_demand_usd": _cents(whole.on_demand_usd_per_month),
        "monthly_floor_limit_usd": cost.monthly_floor_limit_usd,
        "monthly_budget_usd": cost.monthly_budget_usd,
        "lines": [
            {
                "name": each.name,
                "pool": each.pool,
                "floor_usd_per_hour": _cents(each.floor_usd_per_hour),
                "expected_usd_per_hour": _cents(each.expected_usd_per_hour),
                "ceiling_usd_per_hour": _cents(each.ceiling_usd_per_hour),
                "on_demand_usd_per_hour": _cents(each.on_demand_usd_per_hour),
            }
            for each in whole.lines
        ],
        "units": [
            {
                "nodepool": each.nodepool,
                "pool": each.pool,
                "resource": each.resource,
                "units_per_card": each.units_per_card,
                "usd_per_unit_hour": [_cents(each.low_usd), _cents(each.high_usd)],
            }
            for each in given.units
        ],
        "teams": [
            {
                "tenant": each.tenant,
                "resource": each.resource,
                "quota": each.quota,
                "expected_usd_per_hour": _cents(each.expected_usd_per_hour),
                "ceiling_usd_per_hour": _cents(each.ceiling_usd_per_hour),
            }
            for each in given.teams
        ],
        "promised_to_nobody": {
            "expected_usd_per_hour": _cents(given.unpromised.expected_usd_per_hour),
            "ceiling_usd_per_hour": _cents(given.unpromised.ceiling_usd_per_hour),
        },
        "advice": [{"pool": each.pool, "says": each.says} for each in given.advice],
        "notes": list(given.notes),
    }
    return json.dumps(document, indent=2)


def money(usd: float) -> str:
    """Whole dollars with thousands apart."""
    return f"{usd:,.0f}"


def monthly(line: Line) -> tuple[str, ...]:
    """A line's four figures for a month."""
    hourly = (
        line.floor_usd_per_hour,
        line.expected_usd_per_hour,
        line.ceiling_usd_per_hour,
        line.on_demand_usd_per_hour,
    )
    return tuple(money(each * HOURS_PER_MONTH) for each in hourly)


def _bill_rows(given: Statement) -> Iterable[tuple[str, ...]]:
    for pool, lines in given.by_pool.items():
        if len(lines) == 1:
            yield (pool, *monthly(lines[0]))
            continue
        yield (pool, *monthly(_sum(pool, lines)))
        for each in lines:
            yield (f"  {each.name}", *monthly(each))
    yield ("total", *monthly(_sum("total", given.bill.lines)))


def _sum(name: str, lines: Sequence[Line]) -> Line:
    return Line(
        name,
        name,
        sum(each.floor_usd_per_hour for each in lines),
        sum(each.expected_usd_per_hour for each in lines),
        sum(each.ceiling_usd_per_hour for each in lines),
        sum(each.on_demand_usd_per_hour for each in lines),
    )


def _limits(given: Statement) -> list[str]:
    whole, cost = given.bill, given.settings.cost
    return [
        f"at rest ${money(whole.floor_usd_per_month)} of the ${money(cost.monthly_floor_limit_usd)} allowed;"
        f" at the ceiling ${money(whole.ceiling_usd_per_month)} of the ${money(cost.monthly_budget_usd)} of the budget"
    ]


def _unit_rows(given: Statement) -> Iterable[tuple[str, ...]]:
    for each in given.units:
        yield each.nodepool, each.resource, f"{each.low_usd:.3f}", f"{each.high_usd:.3f}"


def _team_rows(given: Statement) -> Iterable[tuple[str, ...]]:
    for each in given.teams:
        figures = (each.expected_usd_per_hour, each.ceiling_usd_per_hour)
        yield (
            each.tenant,
            f"{each.quota} {each.resource}",
            *(money(one * HOURS_PER_MONTH) for one in figures),
        )

    closing = (given.unpromised.expected_usd_per_hour, given.unpromised.ceiling_usd_per_hour)
    yield ("promised to nobody", "the rest of the bill", *(money(usd * HOURS_PER_MONTH) for usd in closing))
    whole = _sum("total", given.bill.lines)
    yield (
        "total",
        "",
        *(money(usd * HOURS_PER_MONTH) for usd in (whole.expected_usd_per_hour, whole.ceiling_usd_per_hour)),
    )


def _cents(usd: float) -> float:
    return round(usd, 4)
