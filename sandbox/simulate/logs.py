"""The logs of a cluster that did not run, kept when its folder goes."""

from __future__ import annotations

import shutil
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from sandbox.errors import SandboxError
from sandbox.tools.cache import cache_folder


@contextmanager
def logs_kept(folder: Path, *, unless: type[SandboxError]) -> Generator[None]:
    """Of a SandboxError that leaves the block, keep the logs in ``folder`` until the next one, and name them there.

    An error of the kind ``unless`` is about no process, and goes by; so does every one where a full disk takes no copy.
    """
    try:
        yield
    except unless:
        raise
    except SandboxError as error:
        kept = cache_folder() / "simulate-logs"
        with suppress(OSError):
            shutil.rmtree(kept, ignore_errors=True)
            for log in folder.rglob("*.log"):
                copy = kept / log.relative_to(folder)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(log, copy)
            raise SandboxError(str(error).replace(str(folder), str(kept))) from error
        raise
