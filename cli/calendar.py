"""``gpuplatform calendar``: what Karpenter may disrupt, hour by hour of a week, in UTC and the team's zone."""

from __future__ import annotations

import datetime
import json
import re
import zoneinfo
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from cli.stacks import accepted_settings, stack_options
from gpuplatform.analysis.disruption.remarks import Remark, remarks
from gpuplatform.analysis.disruption.week import WEEK, Stretch, budgets_of, stretches
from gpuplatform.plan.node_pools import plan
from gpuplatform.render.document import name_of
from gpuplatform.render.stack import render
from gpuplatform.settings.disruption import Disruption
from gpuplatform.settings.settings import Settings
from gpuplatform.standard.markets import Reason

_UTC = "UTC"
_WEEK = re.compile(r"(\d{4})-W(\d{2})", re.ASCII)
_YEARS = range(1970, 3000)
"""For other years the time-zone database promises nothing."""
_HOUR = datetime.timedelta(hours=1)
_DAY = datetime.timedelta(days=1)
_ANY = "any"
"""In a cell: no budget is active, so Karpenter may disrupt any number of nodes."""


def _monday(_context: click.Context, option: click.Parameter, value: str | None) -> datetime.datetime:
    """The first moment of an ISO week in UTC; without a value, of the current week."""
    if value is None:
        year, week, _ = datetime.datetime.now(datetime.UTC).isocalendar()
    elif (match := _WEEK.fullmatch(value)) is None:
        raise click.BadParameter("must be a week such as 2026-W48", param=option)
    else:
        year, week = int(match[1]), int(match[2])
    if year not in _YEARS:
        rule = f"must be a week of the years {_YEARS[0]} to {_YEARS[-1]}"
        raise click.BadParameter(f"{value}: {rule}, such as 2026-W48", param=option)
    try:
        day = datetime.date.fromisocalendar(year, week, 1)
    except ValueError as error:
        raise click.BadParameter(f"{value}: {error}", param=option) from None
    return datetime.datetime.combine(day, datetime.time(), datetime.UTC)


@dataclass(frozen=True, slots=True)
class _Page:
    """One NodePool's week."""

    nodepool: str
    pool: str
    time_zone: str
    weeks: dict[Reason, tuple[Stretch, ...]]
    remarks: tuple[Remark, ...]

    @property
    def group_key(self) -> tuple[object, ...]:
        """The parts in which two NodePools must agree to be shown together."""
        return self.pool, self.time_zone, tuple(self.weeks.items()), self.remarks


@click.command()
@stack_options
@click.option("--pool", metavar="NAME", help="Show one pool only; all pools by default.")
@click.option("--week", "monday", callback=_monday, metavar="YYYY-Www", help="An ISO week; the current one by default.")
@click.option(
    "--nodes",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    help="Number of nodes in a NodePool, for budgets in percent.",
)
@click.option("--format", "output", type=click.Choice(["text", "json"]), default="text", show_default=True)
def calendar(
    *, stack: str | None, settings: Path | None, pool: str | None, monday: datetime.datetime, nodes: int, output: str
) -> None:
    """Show how many nodes Karpenter may disrupt at once, for each reason, hour by hour of a week.

    The numbers come from the rendered NodePools and are computed as Karpenter computes them. Karpenter subtracts the
    nodes that it is disrupting already. Exit code: 0 success, 2 wrong usage.
    """
    stack_settings = accepted_settings(stack, settings)
    pages = [page for page in pages_of(stack_settings, monday, nodes) if pool in (None, page.pool)]
    if not pages:
        pool_names = ", ".join(dict.fromkeys(page.pool for page in pages_of(stack_settings, monday, nodes)))
        raise click.UsageError(f"no Karpenter pool {pool!r} in this stack; pools here: {pool_names}")
    if output == "json":
        click.echo(json.dumps(_as_json(monday, pages), indent=2))
        return
    for lines in _page_groups(monday, pages):
        click.echo("\n".join([*lines, ""]))


def pages_of(settings: Settings, monday: datetime.datetime, of_nodes: int) -> list[_Page]:
    """Every NodePool of a stack in the order in which they are rendered."""
    owners = _owners(settings)
    pages: list[_Page] = []
    for document in (rendered.node_pool for rendered in render(settings).node_pools):
        name = name_of(document)
        pool, disruption = owners[name]
        budgets = budgets_of(document)
        weeks = {reason: stretches(budgets, reason, monday, of_nodes) for reason in Reason}
        pages.append(_Page(name, pool, disruption.time_zone, weeks, remarks(document, weeks)))
    return pages


def _owners(settings: Settings) -> dict[str, tuple[str, Disruption]]:
    """The pool of each NodePool, and the pool's disruption settings."""
    node_pools = plan(settings.pools, settings.network.zones)
    other_pools = (*settings.cpu_pools, *settings.neuron_pools)
    return {node_pool.name: (node_pool.pool.name, node_pool.pool.disruption) for node_pool in node_pools} | {
        pool.name: (pool.name, pool.disruption) for pool in other_pools
    }


def _page_groups(monday: datetime.datetime, pages: Sequence[_Page]) -> Iterable[list[str]]:
    year, week, _ = monday.isocalendar()
    yield [f"Nodes that may be disrupted at once, {year}-W{week:02}"]
    groups: dict[tuple[object, ...], list[_Page]] = {}
    for page in pages:
        groups.setdefault(page.group_key, []).append(page)
    for group in groups.values():
        yield _page_lines(monday, group[0], [page.nodepool for page in group])


def _page_lines(monday: datetime.datetime, page: _Page, names: list[str]) -> list[str]:
    lines = [f"{page.pool}: NodePool{'s' if len(names) > 1 else ''} {', '.join(names)}"]
    reasons_by_week: dict[tuple[Stretch, ...], list[Reason]] = {}
    for reason, week in page.weeks.items():
        reasons_by_week.setdefault(week, []).append(reason)
    for week, reasons in reasons_by_week.items():
        title = ", ".join(reason.value for reason in reasons)
        if len(week) == 1:
            lines.append(f"  {title}: {_cell({week[0].nodes})} at any time")
            continue
        lines.append(f"  {title}:")
        for zone in dict.fromkeys((page.time_zone, _UTC)):
            lines += [f"    {row}" for row in _grid(monday, week, zone)]
    return [*lines, *(f"  {remark.says}" for remark in page.remarks)]


def _grid(monday: datetime.datetime, week: Sequence[Stretch], time_zone: str) -> list[str]:
    """A row for each day and a column for each hour in a time zone; hours outside the requested week stay blank."""
    zone = zoneinfo.ZoneInfo(time_zone)
    cells: dict[tuple[datetime.date, int], set[int | None]] = {}
    for stretch in week:
        at = stretch.start
        while at < stretch.end:
            local = at.astimezone(zone)
            cells.setdefault((local.date(), local.hour), set()).add(stretch.nodes)
            # To the next full hour of the zone, or the end of the stretch.
            at = min(stretch.end, at + _HOUR - datetime.timedelta(minutes=local.minute))
    cell_texts = {at: _cell(nodes) for at, nodes in cells.items()}
    width = max(2, *(len(cell) for cell in cell_texts.values()))
    first = monday.astimezone(zone).date()
    days = [first + _DAY * day for day in range(8)]
    head = f"{time_zone:<16}" + " ".join(f"{hour:>{width}}" for hour in range(24))
    rows = [
        f"{day:%a %Y-%m-%d}  " + " ".join(f"{cell_texts.get((day, hour), ''):>{width}}" for hour in range(24))
        for day in days
        if any((day, hour) in cell_texts for hour in range(24))
    ]
    return [head, *(row.rstrip() for row in rows)]


def _cell(nodes: set[int | None]) -> str:
    """One hour: its number, or every number that applies within the hour."""
    return "/".join(
        _ANY if node is None else str(node) for node in sorted(nodes, key=lambda node: (node is None, node))
    )


def _as_json(monday: datetime.datetime, pages: Sequence[_Page]) -> dict[str, object]:
    return {
        "from": monday.isoformat(),
        "to": (monday + WEEK).isoformat(),
        "node_pools": [
            {
                "name": page.nodepool,
                "pool": page.pool,
                "time_zone": page.time_zone,
                "allowed": {
                    reason.value: [_stretch_json(stretch, page.time_zone) for stretch in week]
                    for reason, week in page.weeks.items()
                },
                "remarks": [
                    {"reasons": [reason.value for reason in remark.reasons], "says": remark.says}
                    for remark in page.remarks
                ],
            }
            for page in pages
        ],
    }


def _stretch_json(stretch: Stretch, time_zone: str) -> dict[str, object]:
    zone = zoneinfo.ZoneInfo(time_zone)
    return {
        "from": stretch.start.isoformat(),
        "to": stretch.end.isoformat(),
        "from_local": stretch.start.astimezone(zone).isoformat(),
        "to_local": stretch.end.astimezone(zone).isoformat(),
        "nodes": stretch.nodes,
    }
