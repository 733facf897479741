"""A tool to run: from PATH when its version fits, else the built copy of the cache, else a build."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from sandbox.tools.build import build, built
from sandbox.tools.cache import only_one
from sandbox.tools.failure import unavailable
from sandbox.tools.go import Go
from sandbox.tools.table import Tool
from sandbox.tools.versions import as_text, parse_version


@dataclass(frozen=True, slots=True)
class Found:
    """A tool that is there and fits."""

    tool: Tool
    command: Path
    version: str
    """Without the ``v``."""
    source: str
    """Where it came from, in words."""


def at_hand(tool: Tool) -> Found | None:
    """The tool, if it is there already; nothing is built or fetched."""
    on_path = shutil.which(tool.name)
    return (_fitting(tool, Path(on_path)) if on_path else None) or _cached(tool)


def acquire(tool: Tool, out: TextIO, go: Go | None = None) -> Found:
    """The tool, built if need be, with this ``go`` if one is given. ``out`` hears what is done where that takes time.

    Raises ``ToolUnavailableError`` with the whole report when it cannot be had.
    """
    found = at_hand(tool)
    if found:
        return found
    with only_one(tool.name, out):
        found = _cached(tool)
        if found:
            return found
        made = build(tool, out, go)
        if isinstance(made, str):
            raise unavailable(tool.name, [_not_on_path(tool), made], _supply(tool))
    return Found(tool, made, tool.version.removeprefix("v"), "its Go module")


def _cached(tool: Tool) -> Found | None:
    """A build is checked when it is made, and its folder names its version: it is not run again."""
    command = built(tool)
    return Found(tool, command, tool.version.removeprefix("v"), "the cache") if command else None


def _fitting(tool: Tool, command: Path) -> Found | None:
    printed = _printed(tool, command)
    version = parse_version(printed)
    if version is None or not tool.accepts.fits(printed):
        return None
    return Found(tool, command, as_text(version), "PATH")


def _printed(tool: Tool, command: Path) -> str:
    try:
        ended = subprocess.run([command, *tool.check], capture_output=True, text=True, check=False, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return ended.stdout if ended.returncode == 0 else ""


def _not_on_path(tool: Tool) -> str:
    found = shutil.which(tool.name)
    if found is None:
        return "it is not on PATH"
    version = parse_version(_printed(tool, Path(found)))
    said = as_text(version) if version else "a version that cannot be read"
    return f"{found} is {said}; wanted is {tool.accepts.in_words()}"


def _supply(tool: Tool) -> str:
    return (
        f"To supply it: put {tool.name} {tool.accepts.in_words()} on PATH; or let Go reach a module proxy (GOPROXY),"
        " and pip a Python index (PIP_INDEX_URL) where Go itself is missing, directly or through HTTPS_PROXY."
    )
