"""The state folder of the sandbox, through which the supervisor and the commands exchange their state."""

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
    """A process, by its id and its start time: the system uses an id again after the process has ended."""

    pid: int
    started: float

    @classmethod
    def own(cls) -> Process:
        """This process."""
        return cls(os.getpid(), psutil.Process().create_time())

    def running(self) -> psutil.Process | None:
        """The process, if it still runs and its id has not gone to another process."""
        try:
            process = psutil.Process(self.pid)
            is_same = process.create_time() == self.started and process.status() != psutil.STATUS_ZOMBIE
        except psutil.Error:
            return None
        return process if is_same else None


@dataclass(frozen=True, slots=True)
class PartStatus:
    """One process of the sandbox."""

    name: str
    pid: int
    log: str
    restarts: int


@dataclass(frozen=True, slots=True)
class Status:
    """The supervisor's report."""

    supervisor: Process
    ready: bool = False
    parts: tuple[PartStatus, ...] = ()
    events: tuple[str, ...] = field(default_factory=tuple[str, ...])
    """The starts, stops and restarts of processes, oldest first; each line names the log."""


@dataclass(frozen=True, slots=True)
class SessionFolder:
    """The folder of the sandbox's whole state on this machine, without the cache."""

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
        """The supervisor's log."""
        return self.path / "supervisor.log"

    @property
    def catalog(self) -> Path:
        """The file with the instance types that EC2 sells, for Karpenter."""
        return self.path / "catalog.json"

    def stack(self) -> str | None:
        """The stack that the sandbox holds; None where there is no sandbox."""
        try:
            return (self.path / "stack").read_text(encoding="utf-8")
        except FileNotFoundError:
            return None

    def claim(self, stack: str) -> None:
        """Assign the sandbox to a stack."""
        self.path.mkdir(parents=True, exist_ok=True)
        write_whole(self.path / "stack", stack)

    def status(self) -> Status | None:
        """The supervisor's last report, whether or not the supervisor still runs; None before its first report."""
        try:
            fields = cast(dict[str, object], json.loads((self.path / "status.json").read_text(encoding="utf-8")))
        except FileNotFoundError:
            return None
        return Status(
            Process(**cast(dict[str, float], fields["supervisor"])),  # pyright: ignore[reportArgumentType]
            bool(fields["ready"]),
            tuple(PartStatus(**part) for part in cast(list[dict[str, object]], fields["parts"])),  # pyright: ignore[reportArgumentType]
            tuple(cast(list[str], fields.get("events", []))),
        )

    def write_status(self, status: Status) -> None:
        """Write the supervisor's report."""
        write_whole(self.path / "status.json", json.dumps(asdict(status)))

    def supervisor(self) -> psutil.Process | None:
        """The supervisor's process, if it runs."""
        status = self.status()
        return status.supervisor.running() if status else None


def session_folder() -> SessionFolder:
    """The sandbox of this checkout."""
    return SessionFolder(places.state("sandbox"))


def request_part(control_plane: Path, part: str, values: Mapping[str, object] | None) -> None:
    """Ask the supervisor to run a part with these values of its chart, or, with None, to stop it."""
    file = _request_file(control_plane, part)
    if values is None:
        file.unlink(missing_ok=True)
    else:
        write_whole(file, json.dumps(values))


def requested_values(control_plane: Path, part: str) -> dict[str, object] | None:
    """The chart's values with which a part is to run; None where it is not to run."""
    try:
        return cast(dict[str, object], json.loads(_request_file(control_plane, part).read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None


def _request_file(control_plane: Path, part: str) -> Path:
    return control_plane / f"{part}-wanted.json"


def write_whole(path: Path, text: str) -> None:
    """Replace a file in one step: a reader sees the old text or the new one, even after a kill."""
    new = path.with_name(f"{path.name}.new")
    new.write_text(text, encoding="utf-8")
    new.replace(path)
