"""Bring a stack up in the sandbox with the real engine, and take it down again."""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TextIO

from gpuplatform.accept import check_file, report
from gpuplatform.faults import errors
from gpuplatform.settings.settings import Settings
from sandbox.control_plane.karpenter import karpenter_in
from sandbox.engine.run import EngineResult, Verb, platform, run
from sandbox.errors import SandboxError
from sandbox.session.folder import SessionFolder
from sandbox.session.session import discard, end_workloads, must_be_free_for, session_lock, start, stop
from sandbox.tools.inventory import provide, rows_of, shared_go
from sandbox.tools.table import Tier

_SETTLE_SECONDS = 180.0
_TIERS = (Tier.ENGINE, Tier.CLUSTER, Tier.PLACEMENT)


@dataclass(slots=True)
class Steps:
    """Prints each step as it begins, and records how long each took."""

    out: TextIO
    durations: list[tuple[str, float]]

    @contextmanager
    def step(self, name: str) -> Generator[None]:
        """Print a step's name and record its time."""
        print(f"-- {name}", file=self.out, flush=True)
        start_time = time.monotonic()
        yield
        self.durations.append((name, time.monotonic() - start_time))

    def lines(self) -> list[str]:
        """The time of each step."""
        return [f"{name:36} {seconds:6.1f} s" for name, seconds in self.durations]


@dataclass(frozen=True, slots=True)
class SessionResult:
    """The result of a bring-up."""

    ok: bool
    settings: Settings
    outcome: EngineResult
    unsettled: tuple[str, ...]
    """The objects that had not settled in time."""


def up(stack: str, stack_file: Path, folder: SessionFolder, steps: Steps) -> SessionResult:
    """Bring a stack up, or continue an interrupted bring-up. Raises SandboxError and ToolUnavailableError."""
    settings = _settings(stack_file)
    with session_lock(folder):
        is_new = folder.stack() is None
        try:
            must_be_free_for(folder, stack)
            with steps.step("tools"):
                rows = rows_of(_TIERS)
                with shared_go(rows, steps.out) as go:
                    for row in rows:
                        provide(row, steps.out, go)
            with steps.step("control plane"):
                start(folder, stack, settings)
        except BaseException:
            if is_new:
                discard(folder)  # a new sandbox that failed to start leaves nothing behind
            raise
        with steps.step("the engine runs the program"):
            outcome = _engine(Verb.UP, stack, stack_file, folder, steps.out)
        unsettled: tuple[str, ...] = ()
        if outcome.ok:
            with steps.step("nodes join"):
                karpenter = karpenter_in(folder.control_plane)
                unsettled = karpenter.settle(_SETTLE_SECONDS) if karpenter else ()
        return SessionResult(outcome.ok, settings, outcome, unsettled)


def down(folder: SessionFolder, steps: Steps) -> tuple[str, EngineResult | None]:
    """Take the sandbox's stack down in order, then stop every process and remove the state folder.

    Returns the stack and the engine's result. The result is None where the control plane could not be started again:
    then the sandbox was removed without taking the stack down. Raises SandboxError where there is no sandbox.
    """
    stack = folder.stack()
    if stack is None:
        raise SandboxError("there is no sandbox on this machine")
    with session_lock(folder):
        # The repository's stack file may have changed or be gone: the engine's copy describes what is up.
        copy = folder.engine / "work" / f"Pulumi.{stack}.yaml"
        outcome: EngineResult | None = None
        if copy.exists() and _start_again(folder, stack, copy, steps):
            with steps.step("workloads end"):
                end_workloads(folder)
            with steps.step("the engine takes everything down"):
                outcome = _engine(Verb.DOWN, stack, copy, folder, steps.out)
        if outcome is None or outcome.ok:
            with steps.step("processes stop"):
                stop(folder)
            discard(folder)
    return stack, outcome


def _start_again(folder: SessionFolder, stack: str, stack_file: Path, steps: Steps) -> bool:
    settings = check_file(stack_file).settings
    if settings is None:
        return False
    try:
        with steps.step("control plane"):
            start(folder, stack, settings)
    except SandboxError as error:
        print(f"{error}\nthe sandbox is removed without taking the stack down", file=steps.out)
        return False
    return True


def _settings(stack_file: Path) -> Settings:
    loaded = check_file(stack_file)
    if loaded.settings is None:
        raise SandboxError(report(errors(loaded.faults)))
    return loaded.settings


def _engine(verb: Verb, stack: str, stack_file: Path, folder: SessionFolder, out: TextIO) -> EngineResult:
    request = platform(verb, stack, stack_file, out)
    return run(replace(request, state=folder.engine, control_plane=folder.control_plane))
