"""``gpuplatform simulate``: places workloads on a stack's own pools with the real Karpenter, and prints their bill."""

from __future__ import annotations

import datetime
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NoReturn, cast

import click

from cli.lint import sources, stack_view_of
from cli.simulate.advice import Suggestion, Trial, suggestions, trials
from cli.simulate.answer import answer
from cli.simulate.circumstances import event, moment, shortages
from cli.simulate.explanations import obstacles, paste_advice
from cli.simulate.writing import advice_as_text, as_html, as_json, as_text
from cli.stacks import accepted_settings, stack_options
from gpuplatform.analysis.placement.view import StackView
from gpuplatform.faults import Fault
from gpuplatform.render.document import Document
from gpuplatform.settings.settings import Settings
from policies.lint.judging import objects_of
from policies.subject import Subject, at
from sandbox.cluster import ClusterCommands, cluster_commands_at_hand
from sandbox.errors import SandboxError
from sandbox.simulate.run import NotAcceptedError
from sandbox.simulate.run import simulate as run_simulation
from sandbox.simulate.scenario import Scenario
from sandbox.simulate.snapshot import Snapshot


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@stack_options
@click.option(
    "--without",
    metavar="LIST",
    default="",
    help="Types, families, zones or markets that EC2 has run out of, such as g5,us-east-1a,spot.",
)
@click.option("--interrupt", metavar="POOL", help="After placement, interrupt the spot nodes of a pool.")
@click.option("--drift", metavar="POOL", help="After placement, release a newer node image for a pool.")
@click.option(
    "--at",
    "when",
    metavar="WHEN",
    help="The time for Karpenter's clock, such as 'Tue 10:30 Asia/Seoul'; now by default.",
)
@click.option("--format", "output", type=click.Choice(["text", "json", "html"]), default="text", show_default=True)
def simulate(
    *,
    paths: tuple[str, ...],
    stack: str | None,
    settings: Path | None,
    without: str,
    interrupt: str | None,
    drift: str | None,
    when: str | None,
    output: str,
) -> None:
    """Show where the workloads in files or directories (- for standard input) land in a stack, and what they cost.

    The command applies them to a temporary control plane with the real scheduler and the real Karpenter. A sandbox that
    is up is not touched.

    Exit code: 0 every pod runs, 1 some pod does not, 2 wrong usage.
    """
    _require(paths)
    stack_settings = accepted_settings(stack, settings)
    view = stack_view_of(stack_settings)
    stack_option = f"--stack {stack}" if stack else f"--settings {settings}"
    subjects = _subjects_of(paths)
    scenario = Scenario(
        tuple(cast(Document, subject.body) for subject in subjects),
        shortages(without, stack_settings),
        event(interrupt, drift, stack_settings),
        None if when is None else moment(when, datetime.datetime.now(datetime.UTC)),
    )
    try:
        commands = _commands()
        outcome = run_simulation(stack_settings, scenario, commands, _say)
        result = answer(outcome, subjects, stack_settings, view, stack_option, ())
        if output == "text":
            click.echo(as_text(result))
        advice = _advice(outcome.snapshot, stack_settings, scenario, commands)
    except NotAcceptedError as error:
        _refuse(error, subjects, view, stack_option)
    except SandboxError as error:
        _fail(error)
    if output == "text" and advice:
        click.echo(advice_as_text(advice))
    elif output != "text":
        click.echo((as_json if output == "json" else as_html)(replace(result, advice=advice)))
    sys.exit(0 if result.all_run else 1)


def _require(paths: tuple[str, ...]) -> None:
    missing_paths = [path for path in paths if path != "-" and not Path(path).exists()]
    if missing_paths:
        raise click.UsageError(f"no such file or directory: {', '.join(missing_paths)}")


def _advice(snapshot: Snapshot, settings: Settings, scenario: Scenario, commands: ClusterCommands) -> tuple[Trial, ...]:
    """The suggestions that lower the bill in a trial; none while a pod waits."""
    if not snapshot.all_run:
        return ()

    def trial_snapshot(suggestion: Suggestion) -> Snapshot:
        _say(f"a trial: {suggestion.says}")
        trial_scenario = replace(scenario, workloads=suggestion.workloads, event=None)
        return run_simulation(suggestion.settings, trial_scenario, commands, lambda _step: None).snapshot

    return trials(suggestions(snapshot, settings, scenario.workloads), snapshot.usd_per_hour, trial_snapshot)


def _subjects_of(paths: tuple[str, ...]) -> list[Subject]:
    """Every object; exit code 1 with every fault if there is no object, an object has no name, or a file is invalid."""
    subjects: list[Subject] = []
    faults: list[str] = []
    for source in sources(paths):
        objects, source_faults = objects_of(source)
        subjects += objects
        faults += [f"{source.name}: {fault}" for fault in (*source_faults, *_nameless(objects))]
    if not faults and not subjects:
        faults = [f"{', '.join(paths)}: no Kubernetes object. Change: name files that contain workloads"]
    for line in faults:
        click.echo(f"error: {line}", err=True)
    if faults:
        sys.exit(1)
    return subjects


def _nameless(subjects: Iterable[Subject]) -> Iterator[Fault]:
    """Objects without a name: they cannot be found again after they are applied."""
    for subject in subjects:
        if not subject.known_name:
            generate_name = at(subject.body, "metadata", "generateName")
            name_text = "nothing" if generate_name is None else f"generateName {generate_name!r} alone"
            object_name = f"{subject.kind} in {subject.namespace}" if subject.namespace else subject.kind
            yield Fault(f"{object_name}: metadata.name", name_text, "a text that is not empty", "give it a name")


def _commands() -> ClusterCommands:
    commands = cluster_commands_at_hand()
    if commands is None:
        raise SandboxError("some tools are missing (gpuplatform sandbox tools). Change: make tools")
    return commands


def _say(step: str) -> None:
    click.echo(f"-- {step}", err=True)


def _fail(error: SandboxError) -> NoReturn:
    click.echo(f"error: {error}", err=True)
    sys.exit(1)


def _refuse(error: NotAcceptedError, subjects: Sequence[Subject], view: StackView, stack_option: str) -> NoReturn:
    """Print the API server's refusals and, for pods that reach no pool, the reasons."""
    click.echo("the API server does not accept the workloads:", err=True)
    for refusal in error.refusals:
        click.echo(f"  {refusal}", err=True)
    for subject in subjects:
        lines = obstacles(subject, view)
        if lines:
            click.echo(f"{subject} lands on no pool; the nearest NodePools, and why they do not accept it:", err=True)
            for line in (*lines, f"change: {paste_advice(stack_option)}"):
                click.echo(f"  {line}", err=True)
    sys.exit(1)
