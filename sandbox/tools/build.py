"""Build a tool from its Go module, through a wrapper module, into the user's cache."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path
from typing import TextIO

from sandbox.tools.cache import only_one, publish, tools_folder, workshop
from sandbox.tools.child import log_tail, run_child
from sandbox.tools.go import Go, go_in, go_mod_of, go_sum_of, replacements, staged_modules
from sandbox.tools.table import Tool

_LIMIT_SECONDS = 3600.0
_FINISHED = "finished"


def earlier_build(tool: Tool) -> Path | None:
    """The finished command of an earlier build."""
    command = tools_folder() / tool.folder / "bin" / tool.name
    return command if command.exists() else None


def build(tool: Tool, out: TextIO, go: Go | None = None) -> Path | str:
    """Build a tool and return its command, or the reason why the build failed. The caller holds the tool's lock.

    Builds that are given the same ``go`` share their downloads and compiled packages.

    ``go install MODULE@VERSION`` refuses a module that has replace directives, so a wrapper module requires it.
    """
    with only_one("go", out, doing="building with it"):
        return _build(tool, out, go)


def _build(tool: Tool, out: TextIO, shared_go: Go | None) -> Path | str:
    start_time = time.monotonic()
    with workshop(tool.name) as folder:
        log = folder / "build.log"
        go = shared_go or go_in(folder, log, out)
        if isinstance(go, str):
            return go
        out.write(
            f"{tool.name} {tool.version}: building it from its Go module, once;"
            f" about {tool.expected_minutes:g} min on two cores\n"
        )
        out.flush()
        failure = _compile(tool, go, folder, log, out)
        if failure:
            return failure
        publish(folder / _FINISHED, tool.folder)
    out.write(f"{tool.name} {tool.version}: built in {time.monotonic() - start_time:.0f} s\n")
    return tools_folder() / tool.folder / "bin" / tool.name


def _compile(tool: Tool, go: Go, folder: Path, log: Path, out: TextIO) -> str | None:
    """Build the command into the workshop's finished folder; returns the reason where that fails."""
    env, wrapper, command = go.environment(), folder / "wrapper", folder / _FINISHED / "bin" / tool.name
    wrapper.mkdir()

    def step(what: str, *arguments: str) -> str | None:
        result = run_child(
            [str(go.command), *arguments],
            what=f"{tool.name}: {what}",
            log=log,
            cwd=wrapper,
            env=env,
            limit_seconds=_LIMIT_SECONDS,
            out=out,
        )
        if result.ok:
            return None
        return f"building {tool.module}@{tool.version}: {what} {result.in_words()}{log_tail(log)}"

    failure = step("preparing", "mod", "init", "wrapper")
    if not failure and tool.staging_version is not None:
        failure = step("downloading the module", "mod", "download", f"{tool.module}@{tool.version}")
        # The list is read from the module, so that a release with another staging module still builds.
        modules = staged_modules(go_mod_of(go, tool.module, tool.version, wrapper))
        if not failure and not modules:
            failure = f"building {tool.module}@{tool.version}: its go.mod names no staging modules"
        failure = failure or step("preparing", "mod", "edit", *replacements(modules, tool.staging_version))
    if not failure and tool.own_sums:
        failure = step("downloading the module", "mod", "download", f"{tool.module}@{tool.version}")
        (wrapper / "go.sum").write_text(go_sum_of(go, tool.module, tool.version, wrapper), encoding="utf-8")
    return (
        failure
        or step("downloading modules", "get", f"{tool.module}@{tool.version}", *tool.companions)
        or step(
            "compiling",
            *("build", "-mod=mod", "-trimpath", "-buildvcs=false", *tool.build_flags),
            *("-o", str(command), f"{tool.module}{tool.package}"),
        )
        or check(tool, command)
    )


def check(tool: Tool, command: Path) -> str | None:
    """The reason why a finished command does not run; None when it runs."""
    try:
        subprocess.run([command, *tool.check], check=True, capture_output=True, timeout=60)
    except (OSError, subprocess.SubprocessError) as error:
        return f"{command} {' '.join(tool.check)} does not run: {error}"
    return None
