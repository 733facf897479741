"""Ctrl-C while the engine works: it finishes what it began, and nobody is left behind."""

from __future__ import annotations

import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TextIO, TypeVar

import psutil

_GRACE_SECONDS = 10.0
"""How long an engine that has heard the terminal's interrupt takes to end its steps; then it is told once more."""

T = TypeVar("T")


def interruptible(action: Callable[[], T], out: TextIO) -> T:
    """The action's result. KeyboardInterrupt comes only when the engine has ended, so that its state is whole.

    A terminal interrupts the engine too. One that was not told (the signal went to this process alone) is told.
    """
    with ThreadPoolExecutor(max_workers=1) as pool:
        future = pool.submit(action)
        try:
            return future.result()
        except KeyboardInterrupt:
            print("interrupted: the engine ends what it has begun; once more stops it at once", file=out, flush=True)
            while wait([future], timeout=_GRACE_SECONDS).not_done:
                for child in psutil.Process().children():
                    child.send_signal(signal.SIGINT)
            raise
