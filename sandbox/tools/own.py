"""Go programs of this repository: they are built into the cache, under a digest of their sources."""

from __future__ import annotations

import hashlib
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from sandbox import places
from sandbox.tools.cache import only_one, publish, tools_folder, workshop
from sandbox.tools.child import log_tail, run_child, unavailable
from sandbox.tools.go import Go, go_in
from sandbox.tools.table import Tier

_LIMIT_SECONDS = 3600.0
_DIGITS = 12
_FLAGS = ("-mod=readonly", "-trimpath", "-buildvcs=false", "-ldflags=-s -w")
"""Read-only: the build takes exactly the versions in go.mod and go.sum."""
_SUPPLY = "To supply it: let Go reach a module proxy (GOPROXY), and pip a Python index where Go itself is missing."


@dataclass(frozen=True, slots=True)
class OwnProgram:
    """A Go program whose sources are a folder of this repository."""

    name: str
    folder: Path
    expected_minutes: float
    """The time of a cold build on two cores."""
    needed_by: Tier

    @property
    def version(self) -> str:
        """A digest of the program's sources without its tests."""
        digest = hashlib.sha256()
        for source in _sources(self.folder):
            digest.update(source.name.encode() + b"\0" + source.read_bytes() + b"\0")
        return digest.hexdigest()[:_DIGITS]

    @property
    def folder_name(self) -> str:
        """The folder of a build in the cache; other sources have another folder."""
        return f"{self.name}-{self.version}"


KARPENTER = OwnProgram("karpenter", places.PROJECT / "sandbox" / "karpenter", 2.5, Tier.PLACEMENT)

OWN_PROGRAMS: tuple[OwnProgram, ...] = (KARPENTER,)


def program_at_hand(program: OwnProgram) -> Path | None:
    """The command that was built from the present sources; nothing is built."""
    command = tools_folder() / program.folder_name / "bin" / program.name
    return command if command.exists() else None


def provide_program(program: OwnProgram, out: TextIO, go: Go | None = None) -> Path:
    """The command, built if necessary. Raises ``ToolUnavailableError`` with the whole report."""
    with only_one(program.name, out):
        command = program_at_hand(program) or _build(program, out, go)
    if isinstance(command, str):
        raise unavailable(program.name, [command], _SUPPLY)
    return command


def _sources(folder: Path) -> list[Path]:
    code = [path for path in folder.glob("*.go") if not path.name.endswith("_test.go")]
    return sorted([*code, folder / "go.mod", folder / "go.sum"])


def _build(program: OwnProgram, out: TextIO, shared_go: Go | None) -> Path | str:
    start_time = time.monotonic()
    folder_name = program.folder_name
    with only_one("go", out, doing="building with it"), workshop(program.name) as folder:
        log, command = folder / "build.log", folder / "finished" / "bin" / program.name
        go = shared_go or go_in(folder, log, out)
        if isinstance(go, str):
            return go
        minutes = program.expected_minutes
        out.write(f"{program.name}: building this repository's program, once; about {minutes:g} min on two cores\n")
        out.flush()
        result = run_child(
            [str(go.command), "build", *_FLAGS, "-o", str(command), "."],
            what=f"{program.name}: compiling",
            log=log,
            cwd=program.folder,
            env=go.environment(),
            limit_seconds=_LIMIT_SECONDS,
            out=out,
        )
        if not result.ok:
            return f"compiling {program.folder} {result.in_words()}{log_tail(log)}"
        try:
            subprocess.run([command, "--version"], check=True, capture_output=True, timeout=60)
        except (OSError, subprocess.SubprocessError) as error:
            return f"{command} --version does not run: {error}"
        publish(folder / "finished", folder_name)
    out.write(f"{program.name}: built in {time.monotonic() - start_time:.0f} s\n")
    return tools_folder() / folder_name / "bin" / program.name
