"""``gpuplatform engine``: the real Pulumi engine on this machine, without an AWS account."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cli.stacks import which_file

if TYPE_CHECKING:
    from sandbox.engine.run import EngineResult


_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.group()
def engine() -> None:
    """Run the real Pulumi engine and the policy pack; strict stand-ins replace AWS, EKS and Kubernetes."""


def _verb(name: str, summary: str) -> click.Command:
    @click.option("--stack", metavar="NAME", required=True, help="A stack of this repository, such as dev.")
    @click.option("--policy-levels", metavar="FILE", type=_FILE, help="Enforcement level of each rule, as JSON.")
    def command(stack: str, policy_levels: Path | None) -> None:
        sys.exit(_run(name, stack, policy_levels))

    return click.command(name, help=summary)(command)


engine.add_command(_verb("preview", "Show what `up` would do, and check it with the policy pack."))
engine.add_command(_verb("up", "Bring the stack up on this machine."))


@engine.command()
@click.option("--stack", metavar="NAME", required=True, help="A stack of this repository, such as dev.")
def down(stack: str) -> None:
    """Take the stack on this machine down; nothing of it remains."""
    sys.exit(_run("down", stack, None))


@engine.command()
def levels() -> None:
    """Print the JSON schema of a file for --policy-levels."""
    from policies.levels import schema  # noqa: PLC0415

    click.echo(json.dumps(schema(), indent=2))


@engine.command()
def types() -> None:
    """List the resource types that the stand-ins support; any other type is an error."""
    from sandbox.cloud.types import type_names  # noqa: PLC0415

    for type_name in type_names():
        click.echo(type_name)


def _run(name: str, stack: str, levels_file: Path | None) -> int:
    """Exit code: 0 done, 1 refused or failed."""
    from policies.levels import judge  # noqa: PLC0415
    from sandbox.engine.run import Verb, platform, run  # noqa: PLC0415
    from sandbox.errors import SandboxError  # noqa: PLC0415
    from sandbox.tools.child import ToolUnavailableError  # noqa: PLC0415

    path = which_file(stack, None)
    verb = Verb(name)
    faults = [] if levels_file is None else judge(levels_file.read_text(encoding="utf-8"), levels_file.name)
    if faults:
        click.echo("\n".join(f"error: {fault}" for fault in faults), err=True)
        return 1
    try:
        outcome = run(replace(platform(verb, stack, path, sys.stdout), policy_levels=levels_file))
    except (SandboxError, ToolUnavailableError) as error:
        click.echo(f"error: {error}", err=True)
        return 1
    except KeyboardInterrupt:
        click.echo("interrupted: run the command again to continue", err=True)
        return 1
    for line in _closing_lines(verb, stack, path, outcome):
        click.echo(line)
    return 0 if outcome.ok else 1


def _closing_lines(verb: str, stack: str, path: Path, outcome: EngineResult) -> list[str]:
    from cli.summary import summary  # noqa: PLC0415
    from gpuplatform.accept import check_file  # noqa: PLC0415
    from sandbox.engine.run import SECRET  # noqa: PLC0415

    seconds = outcome.seconds
    if not outcome.ok:
        return ["", f"{stack}: {verb} failed after {seconds:.0f} s; the messages above say what to change."]
    settings = check_file(path).settings
    if verb == "down" or settings is None:
        return ["", f"{stack}: nothing of it remains on this machine ({seconds:.0f} s)."]
    block = f".venv/bin/gpuplatform block --stack {stack} --pool {settings.pools[0].name}"
    next_command = {"preview": f"make up STACK={stack}", "up": f"make down STACK={stack}"}[str(verb)]
    outputs = ", ".join(f"{name} (secret)" if value == SECRET else name for name, value in outcome.outputs.items())
    return [
        "",
        *summary(settings),
        *([f"outputs: {outputs}"] if outputs else []),
        "",
        f"{stack}: {verb} done in {seconds:.0f} s, on the real engine; stand-ins replaced AWS, EKS and Kubernetes.",
        f"next: {block}    (the YAML to paste into a pod)",
        f"      {next_command}",
    ]
