"""Child processes with a time limit and a log, and the report about a tool that is unavailable."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

_LOG_LINES = 12


class ToolUnavailableError(Exception):
    """A tool that the sandbox needs is unavailable here; the message is the whole report."""


def unavailable(tool: str, failures: Sequence[str], supply: str) -> ToolUnavailableError:
    """One report of every attempt, and of what the user can do."""
    attempts = "\n".join(f"  - {failure}" for failure in failures)
    return ToolUnavailableError(f"{tool} is unavailable. Tried:\n{attempts}\n{supply}")


def log_tail(log: Path) -> str:
    """The last lines of a log, indented so that they read as part of a report."""
    try:
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    last_lines = [line for line in lines if line.strip()][-_LOG_LINES:]
    return "".join(f"\n      | {line}" for line in last_lines)


_LINE_SECONDS = 15.0
_TERMINAL_SECONDS = 1.0
_GRACE_SECONDS = 3.0


@dataclass(frozen=True, slots=True)
class ChildResult:
    """How a child process ended."""

    code: int | None
    """Exit code; None when the time limit ended it."""
    elapsed_seconds: float

    @property
    def ok(self) -> bool:
        """Whether it ended by itself with exit code 0."""
        return self.code == 0

    def in_words(self) -> str:
        """``ended with code 1 after 3 s``."""
        how = "was stopped at its time limit" if self.code is None else f"ended with code {self.code}"
        return f"{how} after {self.elapsed_seconds:.0f} s"


def run_child(
    command: Sequence[str],
    *,
    what: str,
    log: Path,
    cwd: Path,
    env: Mapping[str, str],
    limit_seconds: float,
    out: TextIO,
) -> ChildResult:
    """Run a command. Its output is appended to ``log``; the time that ``what`` has taken is reported to ``out``.

    The command leads a session of its own: its children (curl, a compiler) end with it at the limit and when the user
    interrupts. A command that does not exist ends with code 127, as in a shell.
    """
    start_time = time.monotonic()
    with log.open("ab") as sink:
        try:
            process = subprocess.Popen(
                list(command),
                cwd=cwd,
                env=dict(env),
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            sink.write(f"{command[0]}: {error.strerror}\n".encode())
            return ChildResult(127, 0.0)
        try:
            code = _wait(process, start_time, limit_seconds, what, out)
        except BaseException:
            end_group(process)
            raise
    return ChildResult(code, time.monotonic() - start_time)


def _wait(
    process: subprocess.Popen[bytes], start_time: float, limit_seconds: float, what: str, out: TextIO
) -> int | None:
    terminal = out.isatty()
    tick = _TERMINAL_SECONDS if terminal else _LINE_SECONDS
    needs_newline = False
    while True:
        remaining = limit_seconds - (time.monotonic() - start_time)
        try:
            code = process.wait(timeout=max(0.0, min(tick, remaining)))
        except subprocess.TimeoutExpired:
            elapsed = time.monotonic() - start_time
            if elapsed >= limit_seconds:
                end_group(process)
                return None
            out.write(f"\r  {what}: {elapsed:.0f} s" if terminal else f"  {what}: {elapsed:.0f} s\n")
            out.flush()
            needs_newline = terminal
        else:
            if needs_newline:
                out.write("\n")
            return code


def end_group(process: subprocess.Popen[bytes], grace_seconds: float = _GRACE_SECONDS) -> None:
    """End a process that leads a session, and its children: first by SIGTERM, after the grace period by SIGKILL."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        process.wait(timeout=grace_seconds)
    # A child may outlive the leader: the group is killed even when the leader has ended.
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
