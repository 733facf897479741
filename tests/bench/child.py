"""Times a child process from outside: the whole time that a user waits, with start-up and imports."""

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
    """A process that ended with exit code 0."""

    seconds: float
    cpu_seconds: float
    """The CPU time of the process and its descendants, which a busy machine changes least."""
    stdout: str


@dataclass(frozen=True, slots=True)
class Preview:
    """The figures of one preview."""

    seconds: float
    cpu_seconds: float
    resources: int
    """The number of resources to create, counted by the engine."""
    rss_mib: float
    """The peak memory of the program's process; the engine and the providers are separate processes."""


def environment(bytecode: Path) -> dict[str, str]:
    """The user's environment, with compiled modules kept in a folder of the benchmark's own."""
    kept = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPYCACHEPREFIX": str(bytecode)}


def timed(arguments: list[str], variables: Mapping[str, str]) -> Ended:
    """Run a command to its end. Raises SystemExit with the command's output where it fails."""
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
    figures: dict[str, float] = json.loads(ended.stdout.splitlines()[-1])
    return Preview(ended.seconds, ended.cpu_seconds, int(figures["resources"]), figures["rss_mib"])
