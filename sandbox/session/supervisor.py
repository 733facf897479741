"""The supervisor of a sandbox: starts its processes, starts again what has ended, and reports both."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from sandbox.control_plane.control_plane import ControlPlane
from sandbox.control_plane.controllers import full_commands_at_hand, full_control_plane
from sandbox.control_plane.karpenter import karpenter
from sandbox.control_plane.kueue import kueue, kueue_at_hand
from sandbox.control_plane.part import Part, running
from sandbox.errors import SandboxError
from sandbox.session.folder import PartStatus, Process, SessionFolder, Status, requested_values
from sandbox.tools.own import KARPENTER, program_at_hand

_RESTARTS = 5
"""A process that ends more often than this within the time below is not started again."""
_WITHIN_SECONDS = 60.0


@dataclass(slots=True)
class Processes:
    """The supervisor's processes; one that has ended is started again."""

    folder: Path
    block: ExitStack
    parts: dict[str, Part] = field(default_factory=dict[str, Part])
    restarts: Counter[str] = field(default_factory=Counter[str])
    ended_at: dict[str, list[float]] = field(default_factory=dict[str, list[float]])

    def look(self) -> list[str]:
        """Start again every process that has ended; returns one line for each.

        Raises SandboxError where a process has ended too often.
        """
        lines: list[str] = []
        for name, part in list(self.parts.items()):
            end_message = part.end_message()
            if end_message is None:
                continue
            recent = [end for end in self.ended_at.get(name, []) if time.monotonic() - end < _WITHIN_SECONDS]
            self.ended_at[name] = [*recent, time.monotonic()]
            if len(self.ended_at[name]) > _RESTARTS:
                raise SandboxError(
                    f"{end_message}. It has ended {_RESTARTS + 1} times within a minute: the sandbox stops."
                )
            self.restarts[name] += 1
            again = running(part.name, part.command, self.folder, part.environment, again=True)
            self.parts[name] = self.block.enter_context(again)
            lines.append(f"{time.strftime('%H:%M:%S')} {end_message}; it was started again")
        return lines

    def status(self) -> tuple[PartStatus, ...]:
        """The present state of every process."""
        return tuple(
            PartStatus(name, part.process.pid, str(part.log), self.restarts[name]) for name, part in self.parts.items()
        )


_LOOK_SECONDS = 0.2


@dataclass(slots=True)
class _ReleaseProcess:
    """A process that a release of the stack asks for; it is restarted when the release's configuration changes."""

    name: str
    read_configuration: Callable[[], object | None]
    """What the release asks for now; None where no release asks for the process."""
    start: Callable[[], AbstractContextManager[Part]]
    block: ExitStack
    configuration: object | None = None
    """What the process was last started with; None while it is to be stopped."""

    def look(self, processes: Processes) -> list[str]:
        """Start, restart or stop the process as its release asks; returns one line for each step or failure."""
        configuration, lines = self.read_configuration(), list[str]()
        if configuration == self.configuration:
            return lines
        now = time.strftime("%H:%M:%S")
        if self.name in processes.parts:
            processes.parts.pop(self.name).stop()
            self.block.close()
            lines.append(f"{now} {self.name} was stopped: its release was changed or removed")
        if configuration is not None:
            try:
                part = self.block.enter_context(self.start())
            except SandboxError as error:
                lines.append(f"{now} {self.name} does not start: {error}")
            else:
                processes.parts[self.name] = part
                lines.append(f"{now} {self.name} was started; its log is {part.log}")
        self.configuration = configuration
        return lines


@dataclass(slots=True)
class _Supervisor:
    folder: SessionFolder
    stop: threading.Event
    lines: list[str] = field(default_factory=list[str])

    def run(self) -> None:
        """Run the processes until a stop is requested. Raises SandboxError."""
        commands = full_commands_at_hand()
        if commands is None:
            raise SandboxError("the sandbox's tools are not built. Change: make tools")
        self._write(None)
        with full_control_plane(self.folder.control_plane, commands, keep=True) as plane, ExitStack() as block:
            processes = Processes(plane.folder, block, {part.name: part for part in plane.parts})
            self._write(processes)
            self._look_after(plane, processes)

    def _look_after(self, plane: ControlPlane, processes: Processes) -> None:
        with ExitStack() as block:
            release_processes = (
                _ReleaseProcess(
                    "karpenter",
                    lambda: self._karpenter_configuration(plane),
                    lambda: self._karpenter(plane),
                    ExitStack(),
                ),
                _ReleaseProcess(
                    "kueue", lambda: requested_values(plane.folder, "kueue"), lambda: _kueue(plane), ExitStack()
                ),
            )
            for release_process in release_processes:
                block.enter_context(release_process.block)
            while not self.stop.wait(_LOOK_SECONDS):
                lines = processes.look()
                for release_process in release_processes:
                    lines += release_process.look(processes)
                if lines:
                    self.lines += lines
                    self._write(processes)

    def _karpenter_configuration(self, plane: ControlPlane) -> object | None:
        """The chart's values and the catalog; a change of either restarts Karpenter."""
        values = requested_values(plane.folder, "karpenter")
        return None if values is None else (values, self.folder.catalog.read_text(encoding="utf-8"))

    @contextmanager
    def _karpenter(self, plane: ControlPlane) -> Generator[Part]:
        program, values = program_at_hand(KARPENTER), requested_values(plane.folder, "karpenter")
        if program is None:
            raise SandboxError("the sandbox's Karpenter is not built. Change: make tools")
        with karpenter(plane, program, self.folder.catalog.read_text(encoding="utf-8"), values or {}) as (_, part):
            yield part

    def _write(self, processes: Processes | None) -> None:
        for line in self.lines:
            print(line, flush=True)
        parts = () if processes is None else processes.status()
        self.folder.write_status(Status(Process.own(), processes is not None, parts, tuple(self.lines)))


def _kueue(plane: ControlPlane) -> AbstractContextManager[Part]:
    commands = kueue_at_hand()
    if commands is None:
        raise SandboxError("Kueue is not built. Change: make tools")
    return kueue(plane, commands, requested_values(plane.folder, "kueue") or {})


def main(path: str) -> int:
    """Exit code 0 after a requested stop, 1 with the reason otherwise."""
    stop = threading.Event()

    def request_stop(_number: int, _frame: FrameType | None) -> None:
        stop.set()

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, request_stop)
    try:
        _Supervisor(SessionFolder(Path(path)), stop).run()
    except SandboxError as error:
        print(error, file=sys.stderr, flush=True)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
