"""``python -m sandbox.session.supervisor FOLDER``: keeps a sandbox's processes running until it is told to stop.

Every process is tethered to this one: where it is killed and can stop nothing, Linux ends them too. A process that
ends unasked is started again with its state, and what happened is said; one that keeps ending ends the sandbox.
"""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from sandbox.control_plane.commands import full_commands_at_hand
from sandbox.control_plane.control_plane import ControlPlane
from sandbox.control_plane.controllers import full_control_plane
from sandbox.control_plane.karpenter import karpenter
from sandbox.control_plane.kueue import kueue, kueue_at_hand
from sandbox.control_plane.part import Part
from sandbox.errors import SandboxError
from sandbox.session.crew import Crew
from sandbox.session.folder import Process, SessionFolder, Status, wanted
from sandbox.tools.own import KARPENTER, program_at_hand

_LOOK_SECONDS = 0.2


@dataclass(slots=True)
class _Guest:
    """A process that a release of the stack asks for; asked for otherwise, it is another process."""

    name: str
    asked: Callable[[], object | None]
    start: Callable[[], AbstractContextManager[Part]]
    block: ExitStack
    runs_as: object | None = None

    def look(self, crew: Crew) -> list[str]:
        """Have it run as it is asked for; a line for what was done, or could not be."""
        wanted, said = self.asked(), list[str]()
        if wanted == self.runs_as:
            return said
        now = time.strftime("%H:%M:%S")
        if self.name in crew.parts:
            crew.parts.pop(self.name).stop()
            self.block.close()
            said.append(f"{now} {self.name} was stopped, as its release says")
        if wanted is not None:
            try:
                part = self.block.enter_context(self.start())
            except SandboxError as error:
                said.append(f"{now} {self.name} does not start: {error}")
            else:
                crew.parts[self.name] = part
                said.append(f"{now} {self.name} was started; its log is {part.log}")
        self.runs_as = wanted
        return said


@dataclass(slots=True)
class _Supervisor:
    folder: SessionFolder
    stop: threading.Event
    said: list[str] = field(default_factory=list[str])

    def run(self) -> None:
        """Until it is told to stop. Raises SandboxError."""
        commands = full_commands_at_hand()
        if commands is None:
            raise SandboxError("tools are not there: make tools")
        self._write(None)
        with full_control_plane(self.folder.control_plane, commands, keep=True) as plane, ExitStack() as block:
            crew = Crew(plane.folder, block, {part.name: part for part in plane.parts})
            self._write(crew)
            self._look_after(plane, crew)

    def _look_after(self, plane: ControlPlane, crew: Crew) -> None:
        with ExitStack() as block:
            guests = (
                _Guest("karpenter", lambda: self._sold(plane), lambda: self._karpenter(plane), ExitStack()),
                _Guest("kueue", lambda: wanted(plane.folder, "kueue"), lambda: _kueue(plane), ExitStack()),
            )
            for each in guests:
                block.enter_context(each.block)
            while not self.stop.wait(_LOOK_SECONDS):
                said = crew.look()
                for each in guests:
                    said += each.look(crew)
                if said:
                    self.said += said
                    self._write(crew)

    def _sold(self, plane: ControlPlane) -> object | None:
        """Values and catalogue: with another of either it is another Karpenter."""
        values = wanted(plane.folder, "karpenter")
        return None if values is None else (values, self.folder.catalogue.read_text(encoding="utf-8"))

    @contextmanager
    def _karpenter(self, plane: ControlPlane) -> Generator[Part]:
        program, values = program_at_hand(KARPENTER), wanted(plane.folder, "karpenter")
        if program is None:
            raise SandboxError("karpenter is not there: make tools")
        with karpenter(plane, program, self.folder.catalogue.read_text(encoding="utf-8"), values or {}) as (_, part):
            yield part

    def _write(self, crew: Crew | None) -> None:
        for each in self.said:
            print(each, flush=True)
        parts = () if crew is None else crew.status()
        self.folder.write_status(Status(Process.own(), crew is not None, parts, tuple(self.said)))


def _kueue(plane: ControlPlane) -> AbstractContextManager[Part]:
    commands = kueue_at_hand()
    if commands is None:
        raise SandboxError("kueue is not there: make tools")
    return kueue(plane, commands, wanted(plane.folder, "kueue") or {})


def main(path: str) -> int:
    """Exit code 0 when it was told to stop, 1 with the reason."""
    stop = threading.Event()

    def told(_number: int, _frame: FrameType | None) -> None:
        stop.set()

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, told)
    try:
        _Supervisor(SessionFolder(Path(path)), stop).run()
    except SandboxError as error:
        print(error, file=sys.stderr, flush=True)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
