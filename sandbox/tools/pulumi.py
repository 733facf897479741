"""The Pulumi CLI: from PATH, from the cache, from the official installer, or built; in that order."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TextIO

from sandbox.tools.build import build, built
from sandbox.tools.cache import only_one
from sandbox.tools.failure import unavailable
from sandbox.tools.installer import install, installed
from sandbox.tools.table import PULUMI
from sandbox.tools.versions import Version, as_text, at_least, parse_version

MINIMUM: Version = PULUMI.accepts.minimum
_LANGUAGE_HOST = "pulumi-language-python"
_SUPPLY = (
    f"To supply it: put pulumi {as_text(MINIMUM)} or newer on PATH; or make get.pulumi.com reachable; or let Go and"
    " pip reach a module proxy (GOPROXY) and a Python index (PIP_INDEX_URL), directly or through HTTPS_PROXY."
)


@dataclass(frozen=True, slots=True)
class PulumiCli:
    """A Pulumi CLI that is new enough."""

    command: Path
    version: str
    """As it prints it, without the ``v``."""
    language_host: bool
    """Whether the official Python language host is there: beside the command, or on PATH."""
    source: str
    """Where it came from, in words."""


def pulumi_cli(out: TextIO) -> PulumiCli:
    """A CLI to run the engine with. ``out`` hears what is done where that takes time.

    Raises ``ToolUnavailableError`` with the whole report when every way fails.
    """
    found = at_hand()
    if found is None:
        with only_one("pulumi", out):
            found = _cached() or _acquire(out)
    return found


def at_hand() -> PulumiCli | None:
    """A CLI that is there already; nothing is installed or built."""
    on_path = shutil.which("pulumi")
    return (_usable(Path(on_path), "PATH") if on_path else None) or _cached()


def _cached() -> PulumiCli | None:
    for command in (installed(), built(PULUMI)):
        found = _usable(command, "the cache") if command else None
        if found:
            return found
    return None


def _acquire(out: TextIO) -> PulumiCli:
    failures: list[str] = []
    for source, made in (("the official installer", install), ("its Go module", partial(build, PULUMI))):
        command = made(out)
        if isinstance(command, str):
            failures.append(command)
            continue
        found = _usable(command, source)
        if found:
            return found
        failures.append(f"{source} brought a command that does not run or is older than {as_text(MINIMUM)}: {command}")
    raise unavailable("The Pulumi CLI", failures, _SUPPLY)


def _usable(command: Path, source: str) -> PulumiCli | None:
    printed = _version(command)
    if not at_least(printed, MINIMUM):
        return None
    version = parse_version(printed)
    return PulumiCli(command, as_text(version) if version else printed, _has_language_host(command), source)


def _version(command: Path) -> str:
    with tempfile.TemporaryDirectory() as home:
        env = {**os.environ, "PULUMI_HOME": home, "PULUMI_SKIP_UPDATE_CHECK": "true"}
        try:
            ended = subprocess.run(
                [command, "version"], capture_output=True, text=True, check=False, timeout=60, env=env
            )
        except (OSError, subprocess.TimeoutExpired):
            return ""
    return ended.stdout if ended.returncode == 0 else ""


def _has_language_host(command: Path) -> bool:
    return (command.resolve().parent / _LANGUAGE_HOST).exists() or shutil.which(_LANGUAGE_HOST) is not None
