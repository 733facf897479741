"""Whether there is room for a control plane."""

from __future__ import annotations

import shutil
from pathlib import Path

from sandbox.errors import SandboxError

_FREE_BYTES = 1 << 30
"""Less free space than this, and etcd stops in the middle of something."""


def must_have_space(folder: Path) -> None:
    """Raises SandboxError where the disk of a folder is full, or nearly."""
    free = shutil.disk_usage(folder).free
    if free < _FREE_BYTES:
        raise SandboxError(
            f"{folder} has {free >> 20} MiB of free space; wanted: {_FREE_BYTES >> 20} MiB or more. Change: make room"
        )
