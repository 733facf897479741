"""``gpuplatform sandbox``: a real control plane on this machine, and what it is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from sandbox.tools.inventory import Row


@click.group()
def sandbox() -> None:
    """Run the platform on one machine."""


@sandbox.command()
def tools() -> None:
    """List the tools and where each would come from; nothing is built or fetched."""
    from sandbox.tools.inventory import ROWS  # noqa: PLC0415
    from sandbox.tools.table import Tier  # noqa: PLC0415

    for tier in Tier:
        click.echo(f"{tier}:")
        for row in ROWS:
            if row.needed_by is tier:
                click.echo(f"  {row.name:24} {_said(row)}")


def _said(row: Row) -> str:
    from sandbox.tools.inventory import what_is_there  # noqa: PLC0415
    from sandbox.tools.module_files import ModuleFiles  # noqa: PLC0415
    from sandbox.tools.table import NEEDED_BY_TESTS  # noqa: PLC0415

    there = what_is_there(row)
    if there:
        return f"{there.version:10} {there.source}: {there.path}"
    make = "make tools" if row.needed_by in NEEDED_BY_TESTS else f"make tools TOOLS={row.needed_by}"
    does = "fetches it" if isinstance(row, ModuleFiles) else f"builds it in about {row.expected_minutes:g} min"
    return f"{'-':10} not there: {make} {does}"
