"""One process of the control plane: its log, whether it lives, and its end."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from sandbox.errors import SandboxError
from sandbox.tools.child import end_group
from sandbox.tools.failure import log_tail

_GRACE_SECONDS = 10.0
_TETHER = """
import ctypes, os, signal, sys
PR_SET_PDEATHSIG = 1
ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
if os.getppid() == int(sys.argv[1]):
    os.execv(sys.argv[2], sys.argv[2:])
"""
"""Becomes the command after asking Linux to kill it with its parent: prctl(2). Nothing starts if the parent is gone."""


@dataclass(frozen=True, slots=True)
class Part:
    """A process that is meant to run until it is stopped."""

    name: str
    process: subprocess.Popen[bytes]
    log: Path
    command: tuple[str | Path, ...]
    environment: Mapping[str, str]

    def must_live(self) -> None:
        """Raises SandboxError, which names the log, once the process has ended."""
        ended = self.ended()
        if ended:
            raise SandboxError(f"{ended}{log_tail(self.log)}")

    def stop(self) -> None:
        """End it and whatever it started: asked first, killed after the grace."""
        end_group(self.process, _GRACE_SECONDS)

    def kill(self) -> None:
        """End it and whatever it started at once, where its state is thrown away."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)

    def ended(self) -> str | None:
        """How the process ended, and where its log is; None while it lives."""
        code = self.process.poll()
        if code is None:
            return None
        how = f"was killed by signal {-code}" if code < 0 else f"ended with code {code}"
        return f"{self.name} {how}; its log is {self.log}"


@contextmanager
def running(
    name: str,
    command: Sequence[str | Path],
    folder: Path,
    environment: Mapping[str, str] | None = None,
    *,
    again: bool = False,
) -> Generator[Part]:
    """The process, until the block is left in any way. Its log is ``NAME.log`` in ``folder``, gone on with ``again``.

    It leads a session of its own, so that an interrupt of the terminal reaches only whoever holds this block. Where
    that one is killed and can stop nothing, Linux kills the process; it counts the thread that entered the block as
    the parent, so enter it in the main thread. ``environment`` is added to this process's own. Raises SandboxError when
    there is no such command.
    """
    found = shutil.which(command[0])
    if found is None:
        raise SandboxError(f"{name} does not start: there is no command {command[0]}")
    log = folder / f"{name}.log"
    with log.open("ab" if again else "wb") as sink:
        process = subprocess.Popen(
            [*_tether(), found, *command[1:]],
            cwd=folder,
            env={**os.environ, **(environment or {})},
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        yield Part(name, process, log, tuple(command), environment or {})
    finally:
        end_group(process, _GRACE_SECONDS)


def _tether() -> list[str]:
    if sys.platform != "linux":
        return []
    # Isolated and without site packages: it starts in some 20 ms.
    return [sys.executable, "-I", "-S", "-c", _TETHER, str(os.getpid())]
