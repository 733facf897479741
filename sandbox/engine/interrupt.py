"""Ctrl-C while the engine runs: it finishes the operations that it has begun, and no process is left behind."""

from __future__ import annotations

import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TextIO, TypeVar

import psutil

_GRACE_SECONDS = 10.0
"""How long an interrupted engine may take to finish its operations before it is interrupted again."""

T = TypeVar("T")


def interruptible(action: Callable[[], T], out: TextIO) -> T:
    """The action's result. KeyboardInterrupt is raised only after the engine has ended, so that its state is whole.

    A terminal interrupts the engine too. An engine that was not interrupted, because the signal went to this process
    alone, is interrupted from here.
    """
    with ThreadPoolExecutor(max_workers=1) as pool:
        future = pool.submit(action)
        try:
            return future.result()
        except KeyboardInterrupt:
            print(
                "interrupted: the engine finishes the operations that it has begun; interrupt again to stop it at once",
                file=out,
                flush=True,
            )
            while wait([future], timeout=_GRACE_SECONDS).not_done:
                for child in psutil.Process().children():
                    child.send_signal(signal.SIGINT)
            raise
