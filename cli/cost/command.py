"""``gpuplatform cost``: what a stack costs at rest, at the expected use and at most; and what a change does to it."""

from __future__ import annotations

import datetime
import sys
from pathlib import Path

import click

from cli.comparison.source import earlier_source
from cli.cost.change import as_json as change_as_json
from cli.cost.change import as_markdown as change_as_markdown
from cli.cost.change import as_text as change_as_text
from cli.cost.statement import Statement, statement
from cli.cost.writing import as_json, as_markdown, as_text
from cli.stacks import accepted_settings, stack_options, which_file
from gpuplatform.accept import check_file, report
from gpuplatform.analysis.cost import difference
from gpuplatform.faults import errors
from gpuplatform.settings.settings import Settings

_WRITERS = {"text": as_text, "json": as_json, "markdown": as_markdown}
_CHANGE_WRITERS = {"text": change_as_text, "json": change_as_json, "markdown": change_as_markdown}


@click.command()
@stack_options
@click.option(
    "--diff",
    "base",
    metavar="FILE|REVISION",
    help="Earlier settings to compare with, at today's prices: a file, or a git revision of the stack's file.",
)
@click.option("--format", "output", type=click.Choice([*_WRITERS]), default="text", show_default=True)
def cost(stack: str | None, settings: Path | None, base: str | None, output: str) -> None:
    """Print what a stack costs: at rest, at the expected use, and with every ceiling reached.

    Exit code: 0 printed, 1 the settings are refused, 2 wrong usage.
    """
    stack_settings = accepted_settings(stack, settings)
    if base is not None:
        earlier = _earlier(base, which_file(stack, settings), stack_settings.environment)
        click.echo(_CHANGE_WRITERS[output](difference(earlier, stack_settings)))
        return
    click.echo(_WRITERS[output](_statement(stack_settings)))


def _statement(settings: Settings) -> Statement:
    return statement(settings, datetime.datetime.now(tz=datetime.UTC).date())


def _earlier(base: str, file: Path, environment: str) -> Settings:
    """The settings of a file or a git revision; exit code 1 if they are refused."""
    with earlier_source("--diff", base, file, environment) as source:
        return _settings_of(source.file)


def _settings_of(path: Path) -> Settings:
    loaded = check_file(path)
    if loaded.settings is None:
        click.echo(f"the earlier settings: {report(errors(loaded.faults))}", err=True)
        sys.exit(1)
    return loaded.settings
