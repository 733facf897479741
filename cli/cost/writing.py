"""The bill as text for a terminal, as JSON, as Markdown."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from cli.cost.statement import Statement
from cli.reference.markdown import table
from cli.text_table import text_table
from gpuplatform.analysis.cost import Line
from gpuplatform.catalog.service_prices import HOURS_PER_MONTH

_COLUMNS = ("USD a month", "at rest", "expected", "ceiling", "all on demand")


def as_text(statement: Statement) -> str:
    """Aligned tables, then the assumptions."""
    settings = statement.settings
    lines = [f"{settings.environment} in {settings.region}", ""]
    lines += text_table([_COLUMNS, *_bill_rows(statement)])
    lines += ["", *_limits(statement), "", "One unit for an hour, including its part of the host:"]
    lines += text_table([("nodepool", "unit", "USD from", "to"), *_unit_rows(statement)], indent="  ")
    if statement.teams:
        lines += ["", "Teams, in USD a month, each quota on the cheapest node that it may use:"]
        lines += text_table([("tenant", "quota", "expected", "full quota"), *_team_rows(statement)], indent="  ")
    if statement.advice:
        lines += ["", "Advice (docs/reference/markets.md):"]
        lines += [f"  {advice.pool} {advice.says}" for advice in statement.advice]
    return "\n".join([*lines, "", *(f"note: {note}" for note in statement.notes)])


def as_markdown(statement: Statement) -> str:
    """The same for a page or a pull request."""
    settings = statement.settings
    parts = [f"## Cost of {settings.environment} ({settings.region})\n", table(_COLUMNS, _bill_rows(statement))]
    parts += ["", *(f"- {limit}" for limit in _limits(statement)), ""]
    parts.append(table(("nodepool", "unit", "USD/h from", "to"), _unit_rows(statement)))
    if statement.teams:
        parts += ["", table(("tenant", "quota", "expected a month", "full quota"), _team_rows(statement))]
    parts += ["", *(f"- {advice.pool} {advice.says}" for advice in statement.advice)]
    return "\n".join([*parts, *(f"- {note}" for note in statement.notes)])


def as_json(statement: Statement) -> str:
    """The figures, in USD an hour and a month."""
    stack_bill, cost = statement.bill, statement.settings.cost
    document = {
        "environment": statement.settings.environment,
        "region": statement.settings.region,
        "monthly_floor_usd": _cents(stack_bill.floor_usd_per_month),
        "monthly_expected_usd": _cents(stack_bill.expected_usd_per_month),
        "monthly_ceiling_usd": _cents(stack_bill.ceiling_usd_per_month),
        "monthly_on_demand_usd": _cents(stack_bill.on_demand_usd_per_month),
        "monthly_floor_limit_usd": cost.monthly_floor_limit_usd,
        "monthly_budget_usd": cost.monthly_budget_usd,
        "lines": _lines_json(statement),
        "units": _units_json(statement),
        "teams": _teams_json(statement),
        "promised_to_nobody": {
            "expected_usd_per_hour": _cents(statement.unpromised.expected_usd_per_hour),
            "ceiling_usd_per_hour": _cents(statement.unpromised.ceiling_usd_per_hour),
        },
        "advice": [{"pool": advice.pool, "says": advice.says} for advice in statement.advice],
        "notes": list(statement.notes),
    }
    return json.dumps(document, indent=2)


def _lines_json(statement: Statement) -> list[dict[str, object]]:
    return [
        {
            "name": line.name,
            "pool": line.pool,
            "floor_usd_per_hour": _cents(line.floor_usd_per_hour),
            "expected_usd_per_hour": _cents(line.expected_usd_per_hour),
            "ceiling_usd_per_hour": _cents(line.ceiling_usd_per_hour),
            "on_demand_usd_per_hour": _cents(line.on_demand_usd_per_hour),
        }
        for line in statement.bill.lines
    ]


def _units_json(statement: Statement) -> list[dict[str, object]]:
    return [
        {
            "nodepool": unit.nodepool,
            "pool": unit.pool,
            "resource": unit.resource,
            "units_per_card": unit.units_per_card,
            "usd_per_unit_hour": [_cents(unit.low_usd), _cents(unit.high_usd)],
        }
        for unit in statement.units
    ]


def _teams_json(statement: Statement) -> list[dict[str, object]]:
    return [
        {
            "tenant": team.tenant,
            "resource": team.resource,
            "quota": team.quota,
            "expected_usd_per_hour": _cents(team.expected_usd_per_hour),
            "ceiling_usd_per_hour": _cents(team.ceiling_usd_per_hour),
        }
        for team in statement.teams
    ]


def money(usd: float) -> str:
    """Whole dollars with a comma between thousands."""
    return f"{usd:,.0f}"


def monthly(line: Line) -> tuple[str, ...]:
    """A line's four figures for a month."""
    hourly = (
        line.floor_usd_per_hour,
        line.expected_usd_per_hour,
        line.ceiling_usd_per_hour,
        line.on_demand_usd_per_hour,
    )
    return tuple(money(usd * HOURS_PER_MONTH) for usd in hourly)


def _bill_rows(statement: Statement) -> Iterable[tuple[str, ...]]:
    for pool, lines in statement.by_pool.items():
        if len(lines) == 1:
            yield (pool, *monthly(lines[0]))
            continue
        yield (pool, *monthly(_sum(pool, lines)))
        for line in lines:
            yield (f"  {line.name}", *monthly(line))
    yield ("total", *monthly(_sum("total", statement.bill.lines)))


def _sum(name: str, lines: Sequence[Line]) -> Line:
    return Line(
        name,
        name,
        sum(line.floor_usd_per_hour for line in lines),
        sum(line.expected_usd_per_hour for line in lines),
        sum(line.ceiling_usd_per_hour for line in lines),
        sum(line.on_demand_usd_per_hour for line in lines),
    )


def _limits(statement: Statement) -> list[str]:
    stack_bill, cost = statement.bill, statement.settings.cost
    return [
        f"at rest ${money(stack_bill.floor_usd_per_month)}, limit ${money(cost.monthly_floor_limit_usd)};"
        f" at the ceiling ${money(stack_bill.ceiling_usd_per_month)}, budget ${money(cost.monthly_budget_usd)}"
    ]


def _unit_rows(statement: Statement) -> Iterable[tuple[str, ...]]:
    for unit in statement.units:
        yield unit.nodepool, unit.resource, f"{unit.low_usd:.3f}", f"{unit.high_usd:.3f}"


def _team_rows(statement: Statement) -> Iterable[tuple[str, ...]]:
    for team in statement.teams:
        figures = (team.expected_usd_per_hour, team.ceiling_usd_per_hour)
        yield (
            team.tenant,
            f"{team.quota} {team.resource}",
            *(money(usd * HOURS_PER_MONTH) for usd in figures),
        )

    unpromised_figures = (statement.unpromised.expected_usd_per_hour, statement.unpromised.ceiling_usd_per_hour)
    yield (
        "not promised to a team",
        "the rest of the bill",
        *(money(usd * HOURS_PER_MONTH) for usd in unpromised_figures),
    )
    stack_bill = _sum("total", statement.bill.lines)
    yield (
        "total",
        "",
        *(money(usd * HOURS_PER_MONTH) for usd in (stack_bill.expected_usd_per_hour, stack_bill.ceiling_usd_per_hour)),
    )


def _cents(usd: float) -> float:
    return round(usd, 4)
