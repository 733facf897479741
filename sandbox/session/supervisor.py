"""``python -m sandbox.session.supervisor FOLDER``: keeps a sandbox's processes running until it is told to stop.

Every process is tethered to this one: where it is killed and can stop nothing, Linux ends them too. A process that
ends unasked is started again with its state, and what happened is said; one that keeps ending ends the sandbox.
"""

from __future__ import annotations

import signal
import sys
import threading
import time
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from sandbox.control_plane.commands import full_commands_at_hand
from sandbox.control_plane.control_plane import ControlPlane
from sandbox.control_plane.controllers import full_control_plane
from sandbox.control_plane.karpenter import Karpenter, karpenter
from sandbox.control_plane.part import Part
from sandbox.errors import SandboxError
from sandbox.session.crew import Crew
from sandbox.session.folder import Process, SessionFolder, Status, wanted_karpenter
from sandbox.tools.own import KARPENTER, program_at_hand

_LOOK_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class _Wanted:
    """How Karpenter is to run; another catalogue or other values are another Karpenter."""

    values: dict[str, object]
    catalogue: str


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
        with ExitStack() as autoscaler:
            runs_as: _Wanted | None = None
            while not self.stop.wait(_LOOK_SECONDS):
                said = crew.look()
                wanted = self._wanted(plane)
                if wanted != runs_as:
                    if runs_as is not None:
                        crew.parts.pop("karpenter").stop()
                        autoscaler.close()
                        said.append(f"{time.strftime('%H:%M:%S')} karpenter was stopped, as its release says")
                    if wanted is not None:
                        _, part = autoscaler.enter_context(self._karpenter(plane, wanted))
                        crew.parts[part.name] = part
                        said.append(f"{time.strftime('%H:%M:%S')} karpenter was started; its log is {part.log}")
                    runs_as = wanted
                if said:
                    self.said += said
                    self._write(crew)

    def _wanted(self, plane: ControlPlane) -> _Wanted | None:
        values = wanted_karpenter(plane.folder)
        return None if values is None else _Wanted(values, self.folder.catalogue.read_text(encoding="utf-8"))

    def _karpenter(self, plane: ControlPlane, wanted: _Wanted) -> AbstractContextManager[tuple[Karpenter, Part]]:
        program = program_at_hand(KARPENTER)
        if program is None:
            raise SandboxError("karpenter is not there: make tools")
        return karpenter(plane, program, wanted.catalogue, wanted.values)

    def _write(self, crew: Crew | None) -> None:
        for each in self.said:
            print(each, flush=True)
        parts = () if crew is None else crew.status()
        self.folder.write_status(Status(Process.own(), crew is not None, parts, tuple(self.said)))


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
