"""The folders of files that stay: tools in the user's cache, a stack's state in the repository. Checks their space."""

from __future__ import annotations

import shutil
from pathlib import Path

from platformdirs import user_cache_path

from sandbox.errors import SandboxError

PROJECT = Path(__file__).resolve().parent.parent
"""The repository."""


def cache() -> Path:
    """The user's cache folder of this project."""
    return user_cache_path("gpu-platform", appauthor=False)


def state(stack: str) -> Path:
    """The folder of a stack's state on this machine."""
    return PROJECT / ".state" / stack


_FREE_BYTES = 1 << 30
"""With less free space than this, etcd can stop in the middle of a write."""


def must_have_space(folder: Path) -> None:
    """Raises SandboxError where the disk of a folder is full, or nearly."""
    free = shutil.disk_usage(folder).free
    if free < _FREE_BYTES:
        raise SandboxError(
            f"{folder} has {free >> 20} MiB of free space; needed: {_FREE_BYTES >> 20} MiB or more."
            " Change: free disk space"
        )
