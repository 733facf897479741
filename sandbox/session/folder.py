"""The state folder of the sandbox, and what its supervisor and everybody else tell one another through it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import cast

import psutil

from sandbox import places


@dataclass(frozen=True, slots=True)
class Process:
    """A process that another one may be looking for: a number alone is used again by the system."""

    pid: int
    started: float

    @classmethod
    def own(cls) -> Process:
        """This process."""
        return cls(os.getpid(), psutil.Process().create_time())

    def running(self) -> psutil.Process | None:
        """The process, if it is still this one and alive."""
        try:
            found = psutil.Process(self.pid)
            same = found.create_time() == self.started and found.status() != psutil.STATUS_ZOMBIE
        except psutil.Error:
            return None
        return found if same else None


@dataclass(frozen=True, slots=True)
class PartStatus:
    """One process of the sandbox."""

    name: str
    pid: int
    log: str
    restarts: int


@dataclass(frozen=True, slots=True)
class Status:
    """What the supervisor says."""

    supervisor: Process
    ready: bool = False
    parts: tuple[PartStatus, ...] = ()
    said: tuple[str, ...] = field(default_factory=tuple[str, ...])
    """What happened to parts, oldest first; each line names the log."""


@dataclass(frozen=True, slots=True)
class SessionFolder:
    """Everything of the sandbox on this machine, but the cache."""

    path: Path

    @property
    def control_plane(self) -> Path:
        """State of the control plane, and the log of each of its processes."""
        return self.path / "control-plane"

    @property
    def engine(self) -> Path:
        """State of the engine and of the stand-ins."""
        return self.path / "engine"

    @property
    def log(self) -> Path:
        """The supervisor's."""
        return self.path / "supervisor.log"

    @property
    def catalogue(self) -> Path:
        """What EC2 sells, for Karpenter."""
        return self.path / "catalogue.json"

    def stack(self) -> str | None:
        """The stack that the sandbox holds; None where there is no sandbox."""
        try:
            return (self.path / "stack").read_text(encoding="utf-8")
        except FileNotFoundError:
            return None

    def claim(self, stack: str) -> None:
        """Make the folder that of a stack."""
        self.path.mkdir(parents=True, exist_ok=True)
        write_whole(self.path / "stack", stack)

    def status(self) -> Status | None:
        """What the supervisor said last, whether or not it lives; None before it has said anything."""
        try:
            found = cast(dict[str, object], json.loads((self.path / "status.json").read_text(encoding="utf-8")))
        except FileNotFoundError:
            return None
        return Status(
            Process(**cast(dict[str, float], found["supervisor"])),  # pyright: ignore[reportArgumentType]
            bool(found["ready"]),
            tuple(PartStatus(**each) for each in cast(list[dict[str, object]], found["parts"])),  # pyright: ignore[reportArgumentType]
            tuple(cast(list[str], found["said"])),
        )

    def write_status(self, status: Status) -> None:
        """The supervisor's."""
        write_whole(self.path / "status.json", json.dumps(asdict(status)))

    def supervisor(self) -> psutil.Process | None:
        """The supervisor, if it lives."""
        status = self.status()
        return status.supervisor.running() if status else None


def session_folder() -> SessionFolder:
    """The sandbox of this checkout."""
    return SessionFolder(places.state("sandbox"))


def want(control_plane: Path, part: str, values: Mapping[str, object] | None) -> None:
    """Say whether, and with which values of its chart, a part is to run beside the control plane.

    The supervisor does it.
    """
    file = _wanted_file(control_plane, part)
    if values is None:
        file.unlink(missing_ok=True)
    else:
        write_whole(file, json.dumps(values))


def wanted(control_plane: Path, part: str) -> dict[str, object] | None:
    """The values with which a part is to run, or none where it is not to."""
    try:
        return cast(dict[str, object], json.loads(_wanted_file(control_plane, part).read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None


def _wanted_file(control_plane: Path, part: str) -> Path:
    return control_plane / f"{part}-wanted.json"


def write_whole(path: Path, text: str) -> None:
    """In one step: whoever reads meanwhile, or finds it after a kill, has the old text or the new."""
    new = path.with_name(f"{path.name}.new")
    new.write_text(text, encoding="utf-8")
    new.replace(path)
