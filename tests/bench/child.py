"""Times a child process from outside: everything that a person waits for, imports and start-up included."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sandbox import places


@dataclass(frozen=True, slots=True)
class Ended:
    """A process that ended well."""

    seconds: float
    cpu_seconds: float
    """Its own and its descendants': what a busy machine does not change."""
    stdout: str


@dataclass(frozen=True, slots=True)
class Preview:
    """What one preview cost."""

    seconds: float
    cpu_seconds: float
    resources: int
    """Created, by the engine's own count."""
    rss_mib: float
    """The most memory that the program's process held; the engine and the providers are processes of their own."""


def environment(bytecode: Path) -> dict[str, str]:
    """The user's, with compiled modules kept as Python does by itself, but in a folder of the bench's own."""
    kept = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPYCACHEPREFIX": str(bytecode)}


def timed(arguments: list[str], variables: Mapping[str, str]) -> Ended:
    """Run a command to its end; SystemExit with what it said where it fails."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    ended = subprocess.run(
        arguments, check=False, capture_output=True, text=True, cwd=places.PROJECT, env=dict(variables)
    )
    seconds, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    if ended.returncode != 0:
        raise SystemExit(f"{' '.join(arguments)} failed:\n{ended.stdout}{ended.stderr}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Ended(seconds, cpu, ended.stdout)


def preview(state: Path, stack_file: Path, variables: Mapping[str, str], floor_of: int | None = None) -> Preview:
    """A preview of the platform on a stack file, or of the floor with so many resources."""
    plain = [] if floor_of is None else [str(floor_of)]
    ended = timed([sys.executable, "-m", "tests.bench.once", str(state), str(stack_file), *plain], variables)
    said: dict[str, float] = json.loads(ended.stdout.splitlines()[-1])
    return Preview(ended.seconds, ended.cpu_seconds, int(said["resources"]), said["rss_mib"])
