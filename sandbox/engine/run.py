"""One run of the engine: preview, up or down, from the stack file to the result."""

from __future__ import annotations

import ast
import enum
import importlib
import logging
import runpy
import shutil
import threading
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO, cast

from filelock import FileLock, Timeout
from pulumi import automation

from sandbox import places
from sandbox.cloud.store import Event, Store
from sandbox.cloud.types import OF_THE_ACCOUNT
from sandbox.engine.environment import Workspace
from sandbox.engine.interrupt import interruptible
from sandbox.engine.output import Relay
from sandbox.engine.recovery import State, clear_dead_locks, protected_clusters, settle, unprotected
from sandbox.engine.secrets_keys import salt_of_state, without_secrets_keys
from sandbox.errors import SandboxError
from sandbox.tools.pulumi import pulumi_cli

PROJECT_NAME = "gpu-platform"
SECRET = "[secret]"
"""The text that is shown in place of a secret output."""


class Verb(enum.StrEnum):
    """The operations of the engine."""

    PREVIEW = "preview"
    UP = "up"
    DOWN = "down"


@dataclass(frozen=True, slots=True)
class Request:
    """The inputs of one run."""

    verb: Verb
    stack: str
    out: TextIO
    stack_file: Path
    """The stack's settings in the repository; the file is copied and never written."""
    state: Path
    program: Callable[[], object]
    policy_pack: Path | None
    control_plane: Path | None = None
    """The folder of a real control plane for Kubernetes objects; without one they go to the stand-in's file."""
    policy_levels: Path | None = None
    """The engine's policy configuration file with enforcement levels; None for the pack's own levels."""
    warm_up: Callable[[], object] = lambda: None
    """Imports what the program will need, while the engine starts."""


@dataclass(frozen=True, slots=True)
class EngineResult:
    """The result of a run."""

    ok: bool
    changes: Mapping[str, int]
    """The number of resources by operation: create, update, delete, same."""
    outputs: Mapping[str, object]
    errors: tuple[str, ...]
    seconds: float
    journal: tuple[Event, ...]
    """The operations of the stand-ins in this run and in earlier ones, in order."""


def platform(verb: Verb, stack: str, stack_file: Path, out: TextIO) -> Request:
    """A request to run the platform's own program and policy pack on a stack."""
    project = places.PROJECT
    return Request(
        verb,
        stack,
        out,
        stack_file,
        places.state(stack),
        lambda: runpy.run_path(str(project / "__main__.py"), run_name="__main__"),
        project / "policies",
        warm_up=_import_the_program,
    )


def _import_the_program() -> None:
    """Import the modules that ``__main__.py`` needs while the engine starts: this saves half a second."""
    tree = ast.parse((places.PROJECT / "__main__.py").read_text(encoding="utf-8"))
    for stmt in tree.body:
        if isinstance(stmt, ast.ImportFrom) and stmt.module:
            importlib.import_module(stmt.module)


def run(request: Request) -> EngineResult:
    """Run the engine. Raises SandboxError and ToolUnavailableError where it cannot begin."""
    start_time = time.monotonic()
    warm_up_thread_thread = threading.Thread(target=request.warm_up, daemon=True)
    warm_up_thread_thread.start()
    workspace = Workspace(request.stack, request.state, pulumi_cli(request.out), request.control_plane)
    with _stack_lock(request):
        workspace.prepare()
        _copy_stack_file(request, workspace)
        relay = Relay(request.out, workspace.state / "trace.txt")
        result, journal = interruptible(lambda: _engine(request, workspace, relay, warm_up_thread_thread), request.out)
    seconds = time.monotonic() - start_time
    return EngineResult(result.ok, result.changes, result.outputs, tuple(relay.errors), seconds, journal)


def _engine(
    request: Request, workspace: Workspace, relay: Relay, warm_up_thread_thread: threading.Thread
) -> tuple[_ActionResult, tuple[Event, ...]]:
    # The SDK serves the program from this process, and logs a stack trace when the engine ends before it.
    logging.getLogger("grpc._server").setLevel(logging.CRITICAL)
    if clear_dead_locks(workspace.backend):
        print("an earlier run was interrupted: its lock is released", file=request.out)
    stack = _stack(request, workspace, warm_up_thread_thread)
    _settle(request, workspace, stack)
    result = _ACTIONS[request.verb](request, stack, relay)
    world = Store(workspace.world)
    journal = world.journal()
    if request.verb is Verb.DOWN and result.ok:
        _remove_stack(request, stack, world)
    return result, journal


@contextmanager
def _stack_lock(request: Request) -> Generator[None]:
    request.state.mkdir(parents=True, exist_ok=True)
    lock = FileLock(request.state.parent / f"{request.stack}.lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise SandboxError(
            f"another run of the stack {request.stack} is under way on this machine."
            " Change: wait until that run has ended."
        ) from None
    try:
        yield
    finally:
        lock.release()


def _copy_stack_file(request: Request, workspace: Workspace) -> None:
    """Copy the stack file: without its secrets provider, and with the salt of this engine's state, if it has one."""
    text = without_secrets_keys(request.stack_file.read_text(encoding="utf-8"))
    salt = salt_of_state(workspace.backend, request.stack)
    workspace.stack_file.write_text(text if salt is None else f"{text}\nencryptionsalt: {salt}\n", encoding="utf-8")


def _stack(request: Request, workspace: Workspace, warm_up_thread_thread: threading.Thread) -> automation.Stack:
    def program() -> None:
        warm_up_thread_thread.join()  # two threads that import one package at once could each see it half imported
        request.program()

    settings = automation.ProjectSettings(name=PROJECT_NAME, runtime="python", main=str(places.PROJECT), backend=None)
    command = automation.PulumiCommand(root=str(workspace.root), skip_version_check=True)
    options = automation.LocalWorkspaceOptions(
        work_dir=str(workspace.work_dir),
        pulumi_home=str(workspace.state / "home"),
        env_vars=workspace.variables(),
        project_settings=settings,
        pulumi_command=command,
    )
    return automation.create_or_select_stack(request.stack, project_name=PROJECT_NAME, program=program, opts=options)


def _settle(request: Request, workspace: Workspace, stack: automation.Stack) -> None:
    exported = stack.export_stack()
    settled_state, lines = settle(cast(State, exported.deployment or {}), Store(workspace.world))
    if not lines:
        return
    print("an earlier run was interrupted; its pending operations are resolved:", file=request.out)
    for line in lines:
        print(f"  {line}", file=request.out)
    stack.import_stack(automation.Deployment(version=exported.version, deployment=settled_state))


def _packs(request: Request) -> list[str]:
    return [] if request.policy_pack is None else [str(request.policy_pack)]


def _levels(request: Request) -> list[str]:
    """The policy configuration file of the one pack."""
    return [] if request.policy_levels is None else [str(request.policy_levels.resolve())]


@dataclass(frozen=True, slots=True)
class _ActionResult:
    """The engine's result of one action."""

    ok: bool
    changes: Mapping[str, int]
    outputs: Mapping[str, object]


_FAILED = _ActionResult(False, {}, {})


def _preview(request: Request, stack: automation.Stack, relay: Relay) -> _ActionResult:
    try:
        result = stack.preview(
            policy_packs=_packs(request),
            policy_pack_configs=_levels(request),
            on_output=relay.line,
            on_error=relay.line,
        )
    except automation.CommandError:
        return _FAILED
    return _ActionResult(True, _counts(result.change_summary), {})


def _up(request: Request, stack: automation.Stack, relay: Relay) -> _ActionResult:
    """Preview first: a stack that the pack refuses makes nothing."""
    if not _preview(request, stack, relay).ok:
        return _FAILED
    try:
        result = stack.up(
            policy_packs=_packs(request),
            policy_pack_configs=_levels(request),
            on_output=relay.line,
            on_error=relay.line,
            suppress_outputs=True,
        )
    except automation.CommandError:
        return _FAILED
    outputs = {name: SECRET if value.secret else value.value for name, value in result.outputs.items()}
    return _ActionResult(True, _counts(result.summary.resource_changes or {}), outputs)


def _down(request: Request, stack: automation.Stack, relay: Relay) -> _ActionResult:
    exported = stack.export_stack()
    deployment = cast(State, exported.deployment or {})
    clusters = protected_clusters(deployment)
    if clusters and request.control_plane is not None:
        # A sandbox may always be removed, even where the stack that it rehearses is protected.
        stack.import_stack(automation.Deployment(version=exported.version, deployment=unprotected(deployment)))
    elif clusters:
        raise SandboxError(
            f"the cluster {', '.join(clusters)} is protected from deletion, so nothing was taken down.\n"
            f"Change: set cluster.deletion_protection: false in {request.stack_file.name}, run `up`, then `down` again."
        )
    try:
        result = stack.destroy(on_output=relay.line, on_error=relay.line)
    except automation.CommandError:
        return _FAILED
    return _ActionResult(True, _counts(result.summary.resource_changes or {}), {})


def _counts(changes: Mapping[automation.OpType, int] | Mapping[str, int]) -> dict[str, int]:
    return {str(operation): count for operation, count in changes.items()}


def _remove_stack(request: Request, stack: automation.Stack, world: Store) -> None:
    """Remove the stack, and the state of the account that was made up for it."""
    if entries := [entry for entry in world.everything() if entry.type not in OF_THE_ACCOUNT]:
        names = ", ".join(sorted(entry.urn.rsplit("::", 1)[-1] for entry in entries)[:10])
        raise SandboxError(f"the engine has finished, but the stand-ins still hold resources: {names}")
    stack.workspace.remove_stack(request.stack)
    shutil.rmtree(request.state)


_ACTIONS = {Verb.PREVIEW: _preview, Verb.UP: _up, Verb.DOWN: _down}
