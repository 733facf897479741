"""A tool to run: from PATH when its version is accepted, else an earlier build from the cache, else a new build."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from sandbox.tools.build import build, earlier_build
from sandbox.tools.cache import only_one
from sandbox.tools.child import unavailable
from sandbox.tools.go import Go, as_text, parse_version
from sandbox.tools.table import Tool


@dataclass(frozen=True, slots=True)
class AvailableTool:
    """A tool that is available in an accepted version."""

    tool: Tool
    command: Path
    version: str
    """Without the ``v``."""
    source: str
    """Where it came from, in words."""


def at_hand(tool: Tool) -> AvailableTool | None:
    """The tool, if it is already available; nothing is built or fetched."""
    on_path = shutil.which(tool.name)
    return (_tool_on_path(tool, Path(on_path)) if on_path else None) or _cached(tool)


def acquire(tool: Tool, out: TextIO, go: Go | None = None) -> AvailableTool:
    """The tool, built if necessary, with this ``go`` if one is given. Steps that take time are reported to ``out``.

    Raises ``ToolUnavailableError`` with the whole report when the tool is unavailable.
    """
    available = at_hand(tool)
    if available:
        return available
    with only_one(tool.name, out):
        available = _cached(tool)
        if available:
            return available
        command = build(tool, out, go)
        if isinstance(command, str):
            raise unavailable(tool.name, [_not_on_path(tool), command], _supply(tool))
    return AvailableTool(tool, command, tool.version.removeprefix("v"), "its Go module")


def _cached(tool: Tool) -> AvailableTool | None:
    """An earlier build. It was checked when it was made, and its folder names its version: it is not run here."""
    command = earlier_build(tool)
    return AvailableTool(tool, command, tool.version.removeprefix("v"), "the cache") if command else None


def _tool_on_path(tool: Tool, command: Path) -> AvailableTool | None:
    output = _version_output(tool, command)
    version = parse_version(output)
    if version is None or not tool.accepts.fits(output):
        return None
    return AvailableTool(tool, command, as_text(version), "PATH")


def _version_output(tool: Tool, command: Path) -> str:
    try:
        process = subprocess.run([command, *tool.check], capture_output=True, text=True, check=False, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return process.stdout if process.returncode == 0 else ""


def _not_on_path(tool: Tool) -> str:
    on_path = shutil.which(tool.name)
    if on_path is None:
        return "it is not on PATH"
    version = parse_version(_version_output(tool, Path(on_path)))
    version_text = as_text(version) if version else "a version that cannot be read"
    return f"{on_path} is {version_text}; wanted is {tool.accepts.in_words()}"


def _supply(tool: Tool) -> str:
    return (
        f"To supply it: put {tool.name} {tool.accepts.in_words()} on PATH; or let Go reach a module proxy (GOPROXY),"
        " and pip a Python index (PIP_INDEX_URL) where Go itself is missing, directly or through HTTPS_PROXY."
    )
