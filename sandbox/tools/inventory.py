"""The inventory of tools: Pulumi, tools built from Go modules, this repository's programs, and files of modules.

For each row: whether it is available, and how to get it.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from sandbox.tools import acquire, pulumi
from sandbox.tools.cache import workshop
from sandbox.tools.go import Go, go_in
from sandbox.tools.module_files import MODULE_FILES, ModuleFiles, fetch_files, files_at_hand
from sandbox.tools.own import OWN_PROGRAMS, OwnProgram, program_at_hand, provide_program
from sandbox.tools.table import PULUMI, TOOLS, Tier, Tool

Row = Tool | ModuleFiles | OwnProgram

ROWS: tuple[Row, ...] = (*TOOLS, *MODULE_FILES, *OWN_PROGRAMS)


@dataclass(frozen=True, slots=True)
class Availability:
    """A row that is available now."""

    path: Path
    version: str
    """Without the ``v``."""
    source: str
    """Where it came from, in words."""


def rows_of(names: Sequence[str]) -> tuple[Row, ...]:
    """The rows of these names and tiers, each once, in the table's order. Raises LookupError for an unknown name."""
    valid_names = {row.name for row in ROWS} | {str(tier) for tier in Tier}
    unknown = [name for name in names if name not in valid_names]
    if unknown:
        tiers, rows = ", ".join(Tier), ", ".join(row.name for row in ROWS)
        raise LookupError(f"there is no tool or tier {', '.join(map(repr, unknown))}. Tiers: {tiers}. Tools: {rows}")
    return tuple(row for row in ROWS if row.name in names or row.needed_by in names)


def availability(row: Row) -> Availability | None:
    """The row, if it is already available; nothing is built or fetched."""
    if isinstance(row, ModuleFiles):
        folder = files_at_hand(row)
        return Availability(folder, row.version.removeprefix("v"), "the cache") if folder else None
    if isinstance(row, OwnProgram):
        command = program_at_hand(row)
        return Availability(command, row.version, "the cache") if command else None
    if row == PULUMI:
        cli = pulumi.at_hand()
        return Availability(cli.command, cli.version, cli.source) if cli else None
    available = acquire.at_hand(row)
    return Availability(available.command, available.version, available.source) if available else None


@contextmanager
def shared_go(rows: Sequence[Row], out: TextIO) -> Generator[Go | None]:
    """One Go for all rows that must be built.

    None where no row must be built, and where no Go is available: then the build of each row reports that. Builds with
    a Go from the wheel share their downloads and compiled packages.
    """
    if all(availability(row) is not None for row in rows):
        yield None
        return
    with workshop("go") as folder:
        go = go_in(folder, folder / "go.log", out)
        yield go if isinstance(go, Go) else None


def provide(row: Row, out: TextIO, go: Go | None = None) -> Availability:
    """The row, built or fetched if necessary, with this ``go`` if one is given.

    Raises ``ToolUnavailableError`` with the whole report.
    """
    if isinstance(row, ModuleFiles):
        return availability(row) or Availability(
            fetch_files(row, out, go), row.version.removeprefix("v"), "its Go module"
        )
    if isinstance(row, OwnProgram):
        return availability(row) or Availability(provide_program(row, out, go), row.version, "this repository")
    if row == PULUMI:
        cli = pulumi.pulumi_cli(out)
        return Availability(cli.command, cli.version, cli.source)
    available = acquire.acquire(row, out, go)
    return Availability(available.command, available.version, available.source)
