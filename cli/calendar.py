"""``gpuplatform calendar``: what Karpenter may disrupt, hour by hour of a week, in UTC and the team's zone (B6)."""

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
from gpuplatform.proofs.calendar.remarks import Remark, remarks
from gpuplatform.proofs.calendar.week import WEEK, Stretch, budgets_of, stretches
from gpuplatform.render.document import name_of
from gpuplatform.render.stack import render
from gpuplatform.settings.disruption import Disruption
from gpuplatform.settings.plan import plan
from gpuplatform.settings.settings import Settings
from gpuplatform.standard.reasons import Reason

_UTC = "UTC"
_WEEK = re.compile(r"(\d{4})-W(\d{2})", re.ASCII)
_YEARS = range(1970, 3000)
"""Before them the time-zone database promises nothing."""
_HOUR = datetime.timedelta(hours=1)
_DAY = datetime.timedelta(days=1)
_ANY = "any"
"""In a cell: no budget is active, so nothing holds Karpenter back."""


def _monday(_context: click.Context, option: click.Parameter, value: str | None) -> datetime.datetime:
    """The first moment in UTC of an ISO week; of the present one where none is given."""
    if value is None:
        year, week, _ = datetime.datetime.now(datetime.UTC).isocalendar()
    elif (match := _WEEK.fullmatch(value)) is None:
        raise click.BadParameter("a week such as 2026-W48 is wanted", param=option)
    else:
        year, week = int(match[1]), int(match[2])
    if year not in _YEARS:
        allowed = f"a week of the years {_YEARS[0]} to {_YEARS[-1]} is wanted"
        raise click.BadParameter(f"{value}: {allowed}, such as 2026-W48", param=option)
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
    def alike(self) -> tuple[object, ...]:
        """What two NodePools of a pool have to share to be shown as one."""
        return self.pool, self.time_zone, tuple(self.weeks.items()), self.remarks


@click.command()
@stack_options
@click.option("--pool", metavar="NAME", help="One pool of the stack; all by default.")
@click.option("--week", "monday", callback=_monday, metavar="YYYY-Www", help="An ISO week; the present one by default.")
@click.option(
    "--nodes",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    help="How many nodes a NodePool has, where a budget is a share of them.",
)
@click.option("--format", "output", type=click.Choice(["text", "json"]), default="text", show_default=True)
def calendar(
    *, stack: str | None, settings: Path | None, pool: str | None, monday: datetime.datetime, nodes: int, output: str
) -> None:
    """Show how many nodes Karpenter may disrupt at once, for each reason, hour by hour of a week.

    Read from the NodePools as they are rendered, as Karpenter computes it. Nodes that are being disrupted already are
    subtracted from these numbers. Exit code: 0, or 2 the command was misused.
    """
    accepted, _ = accepted_settings(stack, settings)
    pages = [each for each in pages_of(accepted, monday, nodes) if pool in (None, each.pool)]
    if not pages:
        known = ", ".join(dict.fromkeys(each.pool for each in pages_of(accepted, monday, nodes)))
        raise click.UsageError(f"no Karpenter pool {pool!r} in this stack; pools here: {known}")
    if output == "json":
        click.echo(json.dumps(_as_json(monday, pages), indent=2))
        return
    for lines in _texts(monday, pages):
        click.echo("\n".join([*lines, ""]))


def pages_of(settings: Settings, monday: datetime.datetime, of_nodes: int) -> list[_Page]:
    """Every NodePool of a stack in the order in which they are rendered."""
    owners = _owners(settings)
    found: list[_Page] = []
    for document in render(settings).node_pools:
        name = name_of(document)
        pool, disruption = owners[name]
        budgets = budgets_of(document)
        weeks = {reason: stretches(budgets, reason, monday, of_nodes) for reason in Reason}
        found.append(_Page(name, pool, disruption.time_zone, weeks, remarks(document, weeks)))
    return found


def _owners(settings: Settings) -> dict[str, tuple[str, Disruption]]:
    """The pool of each NodePool, and what it says about disruption."""
    planned = plan(settings.pools, settings.network.zones)
    others = (*settings.cpu_pools, *settings.neuron_pools)
    return {each.name: (each.pool.name, each.pool.disruption) for each in planned} | {
        each.name: (each.name, each.disruption) for each in others
    }


def _texts(monday: datetime.datetime, pages: Sequence[_Page]) -> Iterable[list[str]]:
    year, week, _ = monday.isocalendar()
    yield [f"Nodes that may be disrupted at once, {year}-W{week:02}"]
    groups: dict[tuple[object, ...], list[_Page]] = {}
    for page in pages:
        groups.setdefault(page.alike, []).append(page)
    for alike in groups.values():
        yield _text(monday, alike[0], [each.nodepool for each in alike])


def _text(monday: datetime.datetime, page: _Page, names: list[str]) -> list[str]:
    lines = [f"{page.pool}: NodePool{'s' if len(names) > 1 else ''} {', '.join(names)}"]
    same: dict[tuple[Stretch, ...], list[Reason]] = {}
    for reason, week in page.weeks.items():
        same.setdefault(week, []).append(reason)
    for week, reasons in same.items():
        title = ", ".join(each.value for each in reasons)
        if len(week) == 1:
            lines.append(f"  {title}: {_cell({week[0].nodes})} at any time")
            continue
        lines.append(f"  {title}:")
        for zone in dict.fromkeys((page.time_zone, _UTC)):
            lines += [f"    {each}" for each in _grid(monday, week, zone)]
    return [*lines, *(f"  {each.says}" for each in page.remarks)]


def _grid(monday: datetime.datetime, week: Sequence[Stretch], time_zone: str) -> list[str]:
    """A row for each day and a column for each hour of a zone's week; outside the week that was asked for, nothing."""
    zone = zoneinfo.ZoneInfo(time_zone)
    cells: dict[tuple[datetime.date, int], set[int | None]] = {}
    for stretch in week:
        at = stretch.start
        while at < stretch.end:
            local = at.astimezone(zone)
            cells.setdefault((local.date(), local.hour), set()).add(stretch.nodes)
            # To the next full hour of the zone, or the end of the stretch.
            at = min(stretch.end, at + _HOUR - datetime.timedelta(minutes=local.minute))
    written = {at: _cell(nodes) for at, nodes in cells.items()}
    width = max(2, *(len(each) for each in written.values()))
    first = monday.astimezone(zone).date()
    days = [first + _DAY * day for day in range(8)]
    head = f"{time_zone:<16}" + " ".join(f"{hour:>{width}}" for hour in range(24))
    rows = [
        f"{day:%a %Y-%m-%d}  " + " ".join(f"{written.get((day, hour), ''):>{width}}" for hour in range(24))
        for day in days
        if any((day, hour) in written for hour in range(24))
    ]
    return [head, *(each.rstrip() for each in rows)]


def _cell(nodes: set[int | None]) -> str:
    """One hour: a number, or all that it takes on within the hour."""
    return "/".join(
        _ANY if each is None else str(each) for each in sorted(nodes, key=lambda each: (each is None, each))
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
                    reason.value: [_stretch_json(each, page.time_zone) for each in week]
                    for reason, week in page.weeks.items()
                },
                "remarks": [
                    {"reasons": [reason.value for reason in each.reasons], "says": each.says} for each in page.remarks
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
