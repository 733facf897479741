"""The Pulumi SDK's own installer, in a child process, because it has no time limit of its own."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TextIO

from sandbox.tools.cache import publish, tools_folder, workshop
from sandbox.tools.child import run_child
from sandbox.tools.failure import log_tail

LIMIT_SECONDS = 120.0
_FOLDER = "pulumi-official"
_INSTALL = "import sys; from pulumi.automation import PulumiCommand; PulumiCommand.install(root=sys.argv[1])"


def installed() -> Path | None:
    """The command of an earlier installation; its language hosts are beside it."""
    command = tools_folder() / _FOLDER / "bin" / "pulumi"
    return command if command.exists() else None


def install(out: TextIO) -> Path | str:
    """Install the CLI of the SDK's own version; the reason where that fails. The caller holds the tool's lock."""
    out.write("pulumi: trying the official installer (up to 2 minutes)\n")
    out.flush()
    with workshop("pulumi-official") as folder:
        log, root = folder / "install.log", folder / "finished"
        ended = run_child(
            [sys.executable, "-c", _INSTALL, str(root)],
            what="pulumi: official installer",
            log=log,
            cwd=folder,
            # Its own home: an installer must leave nothing in the user's.
            env={**os.environ, "PULUMI_HOME": str(folder / "home"), "PULUMI_SKIP_UPDATE_CHECK": "true"},
            limit_seconds=LIMIT_SECONDS,
            out=out,
        )
        if not ended.ok or not (root / "bin" / "pulumi").exists():
            reason = f"the official installer {ended.in_words()}"
            out.write(f"pulumi: {reason}\n")
            return f"{reason}{_last_line(log)}"
        publish(root, _FOLDER)
    return tools_folder() / _FOLDER / "bin" / "pulumi"


def _last_line(log: Path) -> str:
    """Only the last line: the child is Python, and the rest of its log is a stack of frames."""
    lines = log_tail(log).splitlines()
    return f"\n{lines[-1]}" if lines else ""
