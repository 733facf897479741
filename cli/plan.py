"""``gpuplatform plan``: a stack on one page, without the Pulumi engine."""

from __future__ import annotations

from pathlib import Path

import click

from cli.stacks import accepted_settings, stack_options


@click.command()
@stack_options
def plan(stack: str | None, settings: Path | None) -> None:
    """Print the stack's pools with labels, ceilings and prices, its tenants, and what it costs."""
    from cli.summary import summary  # noqa: PLC0415

    stack_settings = accepted_settings(stack, settings)
    for line in summary(stack_settings):
        click.echo(line)
