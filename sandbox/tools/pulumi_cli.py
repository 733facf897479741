"""The Pulumi CLI: on PATH, in the cache, by the SDK's own installer, or built from its Go module."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from filelock import FileLock

from sandbox import places
from sandbox.tools.build import built
from sandbox.tools.progress import run_long
from sandbox.tools.table import PULUMI
from sandbox.tools.versions import at_least, printed_by

_INSTALLER_LIMIT_SECONDS = 120
_INSTALL = "import sys; from pulumi.automation import PulumiCommand; PulumiCommand.install(root=sys.argv[1])"


@dataclass(frozen=True, slots=True)
class PulumiCli:
    """A CLI to run."""

    program: Path
    origin: str
    """Where it comes from, in words."""

    @property
    def has_language_host(self) -> bool:
        """Whether the official Python language host is beside it or on PATH; then policy packs start through it."""
        beside = self.program.resolve().parent / "pulumi-language-python"
        return beside.exists() or shutil.which("pulumi-language-python") is not None


def find_pulumi(out: TextIO) -> PulumiCli:
    """A CLI that is new enough; SandboxError says what failed and how to supply one."""
    on_path = shutil.which(PULUMI.name)
    if on_path and _good(Path(on_path)):
        return PulumiCli(Path(on_path), "on PATH")
    installed = places.cache() / "tools" / "pulumi-installed"
    program = installed / "bin" / PULUMI.name
    if _good(program):
        return PulumiCli(program, "in the cache, from the official installer")
    cached = places.cache() / "tools" / f"{PULUMI.name}-{PULUMI.version}" / "bin" / PULUMI.name
    if _good(cached):
        return PulumiCli(cached, "in the cache, built from its Go module")
    if _install(installed, out) and _good(program):
        return PulumiCli(program, "from the official installer")
    return PulumiCli(built(PULUMI, out), "built from its Go module")


def _good(program: Path) -> bool:
    return program.exists() and at_least(printed_by(program, PULUMI.version_arguments), PULUMI.minimum)


def _install(root: Path, out: TextIO) -> bool:
    """Try the SDK's installer in a child process, so that a network that never answers costs a bounded time."""
    print(f"no Pulumi CLI {PULUMI.minimum} on PATH: trying the official installer", file=out, flush=True)
    root.mkdir(parents=True, exist_ok=True)
    log = root / "install.log"
    with FileLock(root / "lock"):
        done = run_long(
            "installer",
            [sys.executable, "-c", _INSTALL, str(root)],
            log,
            out,
            env={**os.environ, "HOME": str(root)},  # the installer writes beside the user's home otherwise
            cwd=root,
            limit_seconds=_INSTALLER_LIMIT_SECONDS,
        )
    if not done.ok:
        print("  the installer could not reach its server: building from source instead", file=out, flush=True)
    return done.ok
