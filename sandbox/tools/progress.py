"""Running something long with a line now and then, so that nobody wonders whether it hangs."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

_EVERY_SECONDS = 15


@dataclass(frozen=True, slots=True)
class Finished:
    """How a long command ended."""

    ok: bool
    log: str
    seconds: float


def run_long(
    what: str,
    command: Sequence[str],
    log: Path,
    out: TextIO,
    *,
    env: Mapping[str, str],
    cwd: Path,
    limit_seconds: float | None = None,
) -> Finished:
    """Run a command with its output in ``log``, saying every quarter of a minute how long it has taken.

    Past the limit the command and everything it started are ended.
    """
    begun = time.monotonic()
    with log.open("a", encoding="utf-8") as sink:
        process = subprocess.Popen(
            list(command), stdout=sink, stderr=subprocess.STDOUT, env=dict(env), cwd=cwd, start_new_session=True
        )
        done = threading.Event()
        ticker = threading.Thread(target=_tick, args=(what, begun, done, out), daemon=True)
        ticker.start()
        try:
            code = process.wait(timeout=limit_seconds)
        except subprocess.TimeoutExpired:
            code = -1
        finally:
            done.set()
            _end(process)
    return Finished(code == 0, log.read_text(encoding="utf-8", errors="replace"), time.monotonic() - begun)


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _tick(what: str, begun: float, done: threading.Event, out: TextIO) -> None:
    while not done.wait(_EVERY_SECONDS):
        print(f"  {what}: {time.monotonic() - begun:.0f} s so far", file=out, flush=True)
