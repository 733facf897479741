"""The Pulumi CLI: from PATH, from the cache, by the SDK's official installer, or built from its Go module."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TextIO

from sandbox.tools.build import build, earlier_build
from sandbox.tools.cache import only_one, publish, tools_folder, workshop
from sandbox.tools.child import log_tail, run_child, unavailable
from sandbox.tools.go import Version, as_text, at_least, parse_version
from sandbox.tools.table import PULUMI

LIMIT_SECONDS = 120.0
_FOLDER = "pulumi-official"
_INSTALL = "import sys; from pulumi.automation import PulumiCommand; PulumiCommand.install(root=sys.argv[1])"


def installed() -> Path | None:
    """The command of an earlier installation; the language hosts are in the same folder."""
    command = tools_folder() / _FOLDER / "bin" / "pulumi"
    return command if command.exists() else None


def install(out: TextIO) -> Path | str:
    """Install the CLI of the SDK's version; returns the reason where that fails. The caller holds the tool's lock.

    The installer has no time limit of its own, so it runs in a child process.
    """
    out.write("pulumi: trying the official installer (up to 2 minutes)\n")
    out.flush()
    with workshop("pulumi-official") as folder:
        log, root = folder / "install.log", folder / "finished"
        result = run_child(
            [sys.executable, "-c", _INSTALL, str(root)],
            what="pulumi: official installer",
            log=log,
            cwd=folder,
            # With a home of its own the installer leaves nothing in the user's.
            env={**os.environ, "PULUMI_HOME": str(folder / "home"), "PULUMI_SKIP_UPDATE_CHECK": "true"},
            limit_seconds=LIMIT_SECONDS,
            out=out,
        )
        if not result.ok or not (root / "bin" / "pulumi").exists():
            reason = f"the official installer {result.in_words()}"
            out.write(f"pulumi: {reason}\n")
            return f"{reason}{_last_line(log)}"
        publish(root, _FOLDER)
    return tools_folder() / _FOLDER / "bin" / "pulumi"


def _last_line(log: Path) -> str:
    """Only the last line: the child is Python, and the rest of its log is a stack trace."""
    lines = log_tail(log).splitlines()
    return f"\n{lines[-1]}" if lines else ""


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
    """A CLI to run the engine with. Steps that take time are reported to ``out``.

    Raises ``ToolUnavailableError`` with the whole report when every attempt fails.
    """
    cli = at_hand()
    if cli is None:
        with only_one("pulumi", out):
            cli = _cached() or _acquire(out)
    return cli


def at_hand() -> PulumiCli | None:
    """A CLI that is already available; nothing is installed or built."""
    on_path = shutil.which("pulumi")
    return (_usable(Path(on_path), "PATH") if on_path else None) or _cached()


def _cached() -> PulumiCli | None:
    for command in (installed(), earlier_build(PULUMI)):
        cli = _usable(command, "the cache") if command else None
        if cli:
            return cli
    return None


def _acquire(out: TextIO) -> PulumiCli:
    failures: list[str] = []
    for source, provide in (("the official installer", install), ("its Go module", partial(build, PULUMI))):
        command = provide(out)
        if isinstance(command, str):
            failures.append(command)
            continue
        cli = _usable(command, source)
        if cli:
            return cli
        failures.append(f"the command from {source} does not run or is older than {as_text(MINIMUM)}: {command}")
    raise unavailable("The Pulumi CLI", failures, _SUPPLY)


def _usable(command: Path, source: str) -> PulumiCli | None:
    output = _version(command)
    if not at_least(output, MINIMUM):
        return None
    version = parse_version(output)
    return PulumiCli(command, as_text(version) if version else output, _has_language_host(command), source)


def _version(command: Path) -> str:
    with tempfile.TemporaryDirectory() as home:
        env = {**os.environ, "PULUMI_HOME": home, "PULUMI_SKIP_UPDATE_CHECK": "true"}
        try:
            process = subprocess.run(
                [command, "version"], capture_output=True, text=True, check=False, timeout=60, env=env
            )
        except (OSError, subprocess.TimeoutExpired):
            return ""
    return process.stdout if process.returncode == 0 else ""


def _has_language_host(command: Path) -> bool:
    return (command.resolve().parent / _LANGUAGE_HOST).exists() or shutil.which(_LANGUAGE_HOST) is not None
