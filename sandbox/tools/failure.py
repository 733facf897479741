"""How a tool that cannot be had is reported: what failed, the end of its log, and how to supply it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

_LOG_LINES = 12


class ToolUnavailableError(Exception):
    """A tool that the sandbox needs cannot be had here; the text is the whole report."""


def unavailable(tool: str, failures: Sequence[str], supply: str) -> ToolUnavailableError:
    """One report of every way that was tried, and of what the reader can do."""
    tried = "\n".join(f"  - {failure}" for failure in failures)
    return ToolUnavailableError(f"{tool} could not be had. Tried:\n{tried}\n{supply}")


def log_tail(log: Path) -> str:
    """The last lines of a log, indented so that they read as part of a report."""
    try:
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    kept = [line for line in lines if line.strip()][-_LOG_LINES:]
    return "".join(f"\n      | {line}" for line in kept)
