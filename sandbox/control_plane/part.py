"""One process of the control plane: its log, whether it lives, and its end."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sandbox.errors import SandboxError
from sandbox.tools.child import end_group
from sandbox.tools.failure import log_tail

_GRACE_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Part:
    """A process that is meant to run until it is stopped."""

    name: str
    process: subprocess.Popen[bytes]
    log: Path

    def must_live(self) -> None:
        """Raises SandboxError, which names the log, once the process has ended."""
        code = self.process.poll()
        if code is not None:
            how = f"was killed by signal {-code}" if code < 0 else f"ended with code {code}"
            raise SandboxError(f"{self.name} {how}; its log is {self.log}{log_tail(self.log)}")


@contextmanager
def running(
    name: str, command: Sequence[str | Path], folder: Path, env: Mapping[str, str] | None = None
) -> Generator[Part]:
    """The process, until the block is left in any way. Its log is ``NAME.log`` in ``folder``, begun anew.

    It leads a session of its own, so that an interrupt of the terminal reaches only whoever holds this block.
    """
    log = folder / f"{name}.log"
    with log.open("wb") as sink:
        try:
            process = subprocess.Popen(
                list(command),
                cwd=folder,
                env={**os.environ, **(env or {})},
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            raise SandboxError(f"{name} does not start: {command[0]}: {error.strerror}") from error
    try:
        yield Part(name, process, log)
    finally:
        end_group(process, _GRACE_SECONDS)
