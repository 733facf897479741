"""How commands name a stack: ``--stack NAME`` is ``Pulumi.NAME.yaml``, ``--settings FILE`` is another file."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec, TypeVar

import click

from gpuplatform.faults import errors

if TYPE_CHECKING:
    from gpuplatform.settings.settings import Settings

P = ParamSpec("P")
R = TypeVar("R")

PROJECT = Path(__file__).resolve().parent.parent
"""The repository; its stack files are found from any working directory."""


def stack_file(stack: str) -> Path:
    """The file of a stack, in the working directory or else in the repository."""
    name = f"Pulumi.{stack}.yaml"
    here = Path(name)
    return here if here.exists() else PROJECT / name


def which_file(stack: str | None, settings: Path | None) -> Path:
    """The one file that the options name; wrong usage (exit code 2) if they name none or two."""
    if (stack is None) == (settings is None):
        raise click.UsageError("give exactly one of --stack NAME and --settings FILE")
    if settings is not None:
        return settings
    assert stack is not None
    path = stack_file(stack)
    if not path.exists():
        stack_names = sorted(path.name.split(".")[1] for path in PROJECT.glob("Pulumi.*.yaml"))
        raise click.UsageError(f"there is no stack {stack!r}; stacks here: {', '.join(stack_names)}")
    return path


def stack_options(command: Callable[P, R]) -> Callable[P, R]:
    """Adds ``--stack`` and ``--settings`` to a command."""

    @click.option("--stack", metavar="NAME", help="A stack of this repository, such as dev.")
    @click.option(
        "--settings", type=click.Path(path_type=Path), metavar="FILE", help="A stack file, or a file of settings only."
    )
    @functools.wraps(command)
    def with_options(*args: P.args, **kwargs: P.kwargs) -> R:
        return command(*args, **kwargs)

    return with_options


def accepted_settings(stack: str | None, settings: Path | None) -> Settings:
    """Accepted settings; if they are refused, a report on standard error and exit code 1."""
    # Importing the settings takes most of a command's start-up time, and `lint` without a stack does not need them.
    from cli.policy_check import check_with_policies  # noqa: PLC0415
    from gpuplatform.accept import report  # noqa: PLC0415

    loaded = check_with_policies(which_file(stack, settings))
    if loaded.settings is None:
        click.echo(report(errors(loaded.faults)), err=True)
        sys.exit(1)
    return loaded.settings
