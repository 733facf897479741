"""``gpuplatform sandbox``: the platform on this machine, with a real control plane, and its tools."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

import click

from cli.stacks import accepted_settings, which_file

if TYPE_CHECKING:
    from sandbox.session.up_and_down import SessionResult, Steps
    from sandbox.tools.inventory import Row

T = TypeVar("T")


@click.group()
def sandbox() -> None:
    """Run the platform on one machine."""


@sandbox.command()
@click.option("--stack", metavar="NAME", required=True, help="A stack of this repository, such as dev.")
def up(stack: str) -> None:
    """Bring a stack up: the real engine, a real control plane and the real Karpenter; AWS and EKS are stand-ins."""
    from sandbox.session.folder import session_folder  # noqa: PLC0415
    from sandbox.session.up_and_down import Steps  # noqa: PLC0415
    from sandbox.session.up_and_down import up as bring_up  # noqa: PLC0415

    accepted_settings(stack, None)
    steps = Steps(sys.stdout, [])
    file = which_file(stack, None)
    result = _or_exit(lambda: bring_up(stack, file, session_folder(), steps))
    for line in _after_up(stack, result, steps):
        click.echo(line)
    sys.exit(0 if result.ok else 1)


@sandbox.command()
def down() -> None:
    """Take the sandbox down in order; only the cache of tools remains."""
    from sandbox.session.folder import session_folder  # noqa: PLC0415
    from sandbox.session.up_and_down import Steps  # noqa: PLC0415
    from sandbox.session.up_and_down import down as take_down  # noqa: PLC0415

    steps = Steps(sys.stdout, [])
    stack, outcome = _or_exit(lambda: take_down(session_folder(), steps))
    click.echo("")
    for line in steps.lines():
        click.echo(line)
    if outcome is not None and not outcome.ok:
        click.echo(f"{stack}: down failed; the messages above say what to change. The sandbox still exists.", err=True)
        sys.exit(1)
    click.echo(f"{stack}: nothing of it remains on this machine.")


@sandbox.command()
def status() -> None:
    """Show which stack is up, and the state of its processes. Exit code: 0 it runs, 1 it does not."""
    from sandbox.session.folder import session_folder  # noqa: PLC0415

    folder = session_folder()
    stack, session_status = folder.stack(), folder.status()
    if stack is None or session_status is None:
        click.echo("there is no sandbox on this machine")
        sys.exit(1)
    is_running = session_status.supervisor.running() is not None
    click.echo(f"{stack}: {'up' if is_running and session_status.ready else 'down: its processes have ended'}")
    for part in session_status.parts if is_running else ():
        restarts = f", started again {part.restarts} times" if part.restarts else ""
        click.echo(f"  {part.name:26} process {part.pid}{restarts}")
    for line in session_status.events:
        click.echo(f"  {line}")
    if not is_running:
        click.echo(
            f"  the supervisor's log is {folder.log}; `gpuplatform sandbox up --stack {stack}` continues from there"
        )
    sys.exit(0 if is_running else 1)


@sandbox.command()
def kubeconfig() -> None:
    """Print the path of the sandbox's kubeconfig."""
    from sandbox.session.folder import session_folder  # noqa: PLC0415

    path = session_folder().control_plane / "kubeconfig"
    if not path.exists():
        click.echo("there is no sandbox on this machine", err=True)
        sys.exit(1)
    click.echo(path)


@sandbox.command()
@click.argument("part", required=False)
def logs(part: str | None) -> None:
    """List the logs, or print the log of one PART, such as karpenter."""
    from sandbox.session.folder import session_folder  # noqa: PLC0415
    from sandbox.session.session import logs as every_log  # noqa: PLC0415

    log_files = {path.stem: path for path in every_log(session_folder())}
    if not log_files:
        click.echo("there is no sandbox on this machine", err=True)
        sys.exit(1)
    if part is None:
        for log_file in log_files.values():
            click.echo(log_file)
        return
    if part not in log_files:
        raise click.UsageError(f"there is no log of {part!r}; there are {', '.join(log_files)}")
    click.echo(log_files[part].read_text(encoding="utf-8", errors="replace"), nl=False)


def _or_exit(action: Callable[[], T]) -> T:
    """The action's result; exit code 1 with one message if it fails."""
    from sandbox.errors import SandboxError  # noqa: PLC0415
    from sandbox.tools.child import ToolUnavailableError  # noqa: PLC0415

    try:
        return action()
    except (SandboxError, ToolUnavailableError) as error:
        click.echo(f"error: {error}", err=True)
    except KeyboardInterrupt:
        click.echo("interrupted: the next `up` or `down` continues from here", err=True)
    sys.exit(1)


def _after_up(stack: str, result: SessionResult, steps: Steps) -> list[str]:
    from cli.summary import summary  # noqa: PLC0415
    from gpuplatform.render.stack import render  # noqa: PLC0415
    from sandbox.cloud.releases import served  # noqa: PLC0415

    if not result.ok:
        return [
            "",
            *steps.lines(),
            f"{stack}: up failed; the messages above say what to change. Then run `up` again, or `down`.",
        ]
    charts = ["karpenter-crd", *render(result.settings).values]
    change_counts = {name: count for name, count in result.outcome.changes.items() if name != "same"}
    return [
        "",
        *summary(result.settings),
        "",
        "served by: the real Pulumi engine, a real API server, scheduler and controller manager, and Karpenter's own",
        "packages. AWS, EKS, the kubelets and Pulumi's Kubernetes provider are stand-ins; the last applies each object",
        "to that API server. Releases:",
        *(f"  {chart}: {served(chart)}" for chart in charts),
        *(f"has not settled: {workload}" for workload in result.unsettled),
        "",
        *steps.lines(),
        f"{stack}: up; {', '.join(f'{count} {name}' for name, count in change_counts.items()) or 'nothing changed'}.",
        "next: kubectl --kubeconfig $(.venv/bin/gpuplatform sandbox kubeconfig) apply -f examples/workloads/",
        "      .venv/bin/gpuplatform sandbox status    (`sandbox down` removes it)",
    ]


@sandbox.command()
def tools() -> None:
    """List the tools and their sources; nothing is built or fetched."""
    from sandbox.tools.inventory import ROWS  # noqa: PLC0415
    from sandbox.tools.table import Tier  # noqa: PLC0415

    for tier in Tier:
        click.echo(f"{tier}:")
        for row in ROWS:
            if row.needed_by is tier:
                click.echo(f"  {row.name:24} {_tool_in_words(row)}")


def _tool_in_words(row: Row) -> str:
    from sandbox.tools.inventory import availability  # noqa: PLC0415
    from sandbox.tools.module_files import ModuleFiles  # noqa: PLC0415
    from sandbox.tools.table import NEEDED_BY_TESTS  # noqa: PLC0415

    tool = availability(row)
    if tool:
        return f"{tool.version:10} {tool.source}: {tool.path}"
    command = "make tools" if row.needed_by in NEEDED_BY_TESTS else f"make tools TOOLS={row.needed_by}"
    action = "fetches it" if isinstance(row, ModuleFiles) else f"builds it in about {row.expected_minutes:g} min"
    return f"{'-':10} missing: `{command}` {action}"
