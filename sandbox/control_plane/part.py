"""The processes of a control plane, and free ports of loopback for them to listen on."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from sandbox.errors import SandboxError
from sandbox.tools.child import end_group, log_tail

LOOPBACK = "127.0.0.1"


def free_ports(count: int) -> list[int]:
    """Different ports on which no program listens: all are held until the last one is found."""
    with ExitStack() as block:
        sockets = [block.enter_context(socket.socket(socket.AF_INET, socket.SOCK_STREAM)) for _ in range(count)]
        for port_socket in sockets:
            port_socket.bind((LOOPBACK, 0))
        return [int(port_socket.getsockname()[1]) for port_socket in sockets]


def is_free(port: int) -> bool:
    """Whether a server could listen on the port now."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as port_socket:
        # As servers do: lingering connections of a server that has ended do not count.
        port_socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            port_socket.bind((LOOPBACK, port))
        except OSError:
            return False
    return True


_GRACE_SECONDS = 10.0
_TETHER = """
import ctypes, os, signal, sys
PR_SET_PDEATHSIG = 1
ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
if os.getppid() == int(sys.argv[1]):
    os.execv(sys.argv[2], sys.argv[2:])
"""
"""Asks Linux to kill this process with its parent (prctl(2)), then becomes the command.

Nothing starts if the parent has already ended.
"""


@dataclass(frozen=True, slots=True)
class Part:
    """A process that should run until it is stopped."""

    name: str
    process: subprocess.Popen[bytes]
    log: Path
    command: tuple[str | Path, ...]
    environment: Mapping[str, str]

    def must_live(self) -> None:
        """Raises SandboxError, which names the log, once the process has ended."""
        end_message = self.end_message()
        if end_message:
            raise SandboxError(f"{end_message}{log_tail(self.log)}")

    def stop(self) -> None:
        """End the process and its children: first by SIGTERM, after the grace period by SIGKILL."""
        end_group(self.process, _GRACE_SECONDS)

    def kill(self) -> None:
        """Kill the process and its children at once; for processes whose state is not kept."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)

    def end_message(self) -> str | None:
        """A sentence with the process's exit and its log; None while the process runs."""
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
    """The process, until the block is left in any way. Its log is ``NAME.log`` in ``folder``; ``again`` appends to it.

    The process leads a session of its own, so that an interrupt of the terminal reaches only the caller. When the
    caller is killed, Linux kills the process too. Linux takes the thread that entered the block for the parent, so
    enter it in the main thread. ``environment`` is added to the caller's environment. Raises SandboxError where the
    command does not exist.
    """
    executable = shutil.which(command[0])
    if executable is None:
        raise SandboxError(f"{name} does not start: there is no command {command[0]}")
    log = folder / f"{name}.log"
    with log.open("ab" if again else "wb") as sink:
        process = subprocess.Popen(
            [*_tether(), executable, *command[1:]],
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
    # Isolated and without site packages, Python starts in about 20 ms.
    return [sys.executable, "-I", "-S", "-c", _TETHER, str(os.getpid())]
