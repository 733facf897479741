"""``gpuplatform simulate``: workloads placed by the real Karpenter on a stack's own pools, and their bill (B8)."""

from __future__ import annotations

import datetime
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NoReturn, cast

import click

from cli.lint import sources, stack_view_of
from cli.simulate.advice import Suggestion, Tried, suggestions, tried
from cli.simulate.answer import answer
from cli.simulate.circumstances import event, lacking, moment
from cli.simulate.explained import kept, paste
from cli.simulate.writing import advice_as_text, as_html, as_json, as_text
from cli.stacks import accepted_settings, stack_options
from gpuplatform.faults import Fault
from gpuplatform.proofs.capture.view import StackView
from gpuplatform.render.document import Document
from policies.lint.judging import objects_of
from policies.subject import Subject, at
from sandbox.cluster import ClusterCommands, cluster_commands_at_hand
from sandbox.errors import SandboxError
from sandbox.simulate.question import Question
from sandbox.simulate.run import NotAcceptedError
from sandbox.simulate.run import simulate as ask
from sandbox.simulate.scene import Scene


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@stack_options
@click.option("--without", metavar="LIST", default="", help="What EC2 has nothing of, such as g5,us-east-1a,spot.")
@click.option("--interrupt", metavar="POOL", help="Then take the spot nodes of a pool back.")
@click.option("--drift", metavar="POOL", help="Then release a newer image for a pool.")
@click.option("--at", metavar="WHEN", help="Karpenter's time, such as 'Tue 10:30 Asia/Seoul'; now by default.")
@click.option("--format", "output", type=click.Choice(["text", "json", "html"]), default="text", show_default=True)
def simulate(
    *,
    paths: tuple[str, ...],
    stack: str | None,
    settings: Path | None,
    without: str,
    interrupt: str | None,
    drift: str | None,
    at: str | None,
    output: str,
) -> None:
    """Say where the workloads in files or directories (- for standard input) land in a stack, and at what price.

    They are applied to a control plane of their own with the real scheduler and the real Karpenter, which is gone
    afterwards: a sandbox that is up is not touched.

    Exit code: 0 every pod runs, 1 some pod does not, 2 the command was misused.
    """
    missing = [each for each in paths if each != "-" and not Path(each).exists()]
    if missing:
        raise click.UsageError(f"no such file or directory: {', '.join(missing)}")
    accepted, _ = accepted_settings(stack, settings)
    view = stack_view_of(stack, settings)
    named = f"--stack {stack}" if stack else f"--settings {settings}"
    subjects = _read(paths)
    asked = Question(
        tuple(cast(Document, each.body) for each in subjects),
        lacking(without, accepted),
        event(interrupt, drift, accepted),
        None if at is None else moment(at, datetime.datetime.now(datetime.UTC)),
    )
    try:
        commands = _commands()
        outcome = ask(accepted, asked, commands, _say)
        found = answer(outcome, subjects, accepted, view, named, ())
        if output == "text":
            click.echo(as_text(found))
        advice: tuple[Tried, ...] = ()
        if outcome.scene.all_run and (worth := suggestions(outcome.scene, accepted, asked.workloads)):
            advice = tried(worth, outcome.scene.usd_per_hour, lambda each: _again(each, asked, commands))
    except NotAcceptedError as error:
        _refuse(error, subjects, view, named)
    except SandboxError as error:
        _fail(error)
    if output == "text" and advice:
        click.echo(advice_as_text(advice))
    elif output != "text":
        click.echo((as_json if output == "json" else as_html)(replace(found, advice=advice)))
    sys.exit(0 if found.all_run else 1)


def _read(paths: tuple[str, ...]) -> list[Subject]:
    """Every object; exit code 1 with all that is wrong where there is none, one has no name or a file is broken."""
    read = [(each.name, *objects_of(each)) for each in sources(paths)]
    broken = [f"{name}: {fault}" for name, found, faults in read for fault in (*faults, *_nameless(found))]
    subjects = [subject for _, found, _ in read for subject in found]
    if not broken and not subjects:
        broken = [f"{', '.join(paths)}: no Kubernetes object. Change: name files that hold workloads"]
    for line in broken:
        click.echo(f"error: {line}", err=True)
    if broken:
        sys.exit(1)
    return subjects


def _nameless(subjects: Iterable[Subject]) -> Iterator[Fault]:
    """What cannot be applied, nor found again by the name that a person gave."""
    for each in subjects:
        if not each.known_name:
            begins = at(each.body, "metadata", "generateName")
            given = "nothing" if begins is None else f"generateName {begins!r} alone"
            about = f"{each.kind} in {each.namespace}" if each.namespace else each.kind
            yield Fault(f"{about}: metadata.name", given, "a text that is not empty", "give it a name")


def _commands() -> ClusterCommands:
    found = cluster_commands_at_hand()
    if found is None:
        raise SandboxError("some of the tools are not there (gpuplatform sandbox tools). Change: make tools")
    return found


def _say(step: str) -> None:
    click.echo(f"-- {step}", err=True)


def _again(suggestion: Suggestion, asked: Question, commands: ClusterCommands) -> Scene:
    _say(f"a trial: {suggestion.says}")
    again = replace(asked, workloads=suggestion.workloads, event=None)
    return ask(suggestion.settings, again, commands, lambda _step: None).scene


def _fail(error: SandboxError) -> NoReturn:
    click.echo(f"error: {error}", err=True)
    sys.exit(1)


def _refuse(error: NotAcceptedError, subjects: Sequence[Subject], view: StackView, named: str) -> NoReturn:
    """What the API server does not accept, and of pods that reach no pool what keeps them away."""
    click.echo("the API server does not accept the workloads:", err=True)
    for each in error.refusals:
        click.echo(f"  {each}", err=True)
    for subject in subjects:
        away = kept(subject, view)
        if away:
            click.echo(f"{subject} lands on no pool; the nearest, and what keeps it away:", err=True)
            for line in (*away, f"change: {paste(named)}"):
                click.echo(f"  {line}", err=True)
    sys.exit(1)
