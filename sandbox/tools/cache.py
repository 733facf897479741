"""The folder in the user's cache where tools are kept: never in the repository or in another program's folder."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

import platformdirs
from filelock import FileLock, Timeout

_POLL_SECONDS = 1.0


def cache_folder() -> Path:
    """This program's folder in the user's cache."""
    return Path(platformdirs.user_cache_dir("gpu-platform"))


def tools_folder() -> Path:
    """The folder of all tools; it is made on first use."""
    folder = cache_folder() / "tools"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@contextmanager
def only_one(name: str, out: TextIO, doing: str = "preparing it") -> Generator[None]:
    """Hold a tool's lock, so that two runs at once build it only once; a wait for the lock is reported to ``out``."""
    lock = FileLock(tools_folder() / f"{name}.lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        out.write(f"{name}: another run is {doing}; waiting for that one\n")
        out.flush()
        lock.acquire(poll_interval=_POLL_SECONDS)
    try:
        yield
    finally:
        lock.release()


@contextmanager
def workshop(name: str) -> Generator[Path]:
    """A temporary folder beside the finished tools, so that the last step is a rename; it is always removed."""
    folder = Path(tempfile.mkdtemp(prefix=f".{name}-", dir=tools_folder()))
    try:
        yield folder
    finally:
        # Go writes its module cache read-only: make it writable before it is removed.
        shutil.rmtree(folder, onerror=lambda function, path, _: _force(function, path))


def _force(function: object, path: str) -> None:
    for entry in (Path(path).parent, Path(path)):
        if entry.exists():
            entry.chmod(0o700)
    if callable(function):
        function(path)


def publish(finished: Path, name: str) -> Path:
    """Move a finished folder into the tools' folder in one step; an older copy of the same name is removed."""
    target = tools_folder() / name
    if target.exists():
        shutil.rmtree(target)
    return finished.rename(target)
