"""The processes of a sandbox: what has ended is started again, and said."""

from __future__ import annotations

import time
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from sandbox.control_plane.part import Part, running
from sandbox.errors import SandboxError
from sandbox.session.folder import PartStatus

_RESTARTS = 5
"""A process that has ended more often within the time below will not be better the next time."""
_WITHIN_SECONDS = 60.0


@dataclass(slots=True)
class Crew:
    """Processes, and how each is started again."""

    folder: Path
    block: ExitStack
    parts: dict[str, Part] = field(default_factory=dict[str, Part])
    restarts: Counter[str] = field(default_factory=Counter[str])
    ended_at: dict[str, list[float]] = field(default_factory=dict[str, list[float]])

    def look(self) -> list[str]:
        """Start again what has ended; a line for each. Raises SandboxError where that is of no use."""
        said: list[str] = []
        for name, part in list(self.parts.items()):
            ended = part.ended()
            if ended is None:
                continue
            at = [each for each in self.ended_at.get(name, []) if time.monotonic() - each < _WITHIN_SECONDS]
            self.ended_at[name] = [*at, time.monotonic()]
            if len(self.ended_at[name]) > _RESTARTS:
                raise SandboxError(f"{ended}. It has ended {_RESTARTS + 1} times within a minute: the sandbox stops.")
            self.restarts[name] += 1
            again = running(part.name, part.command, self.folder, part.environment, again=True)
            self.parts[name] = self.block.enter_context(again)
            said.append(f"{time.strftime('%H:%M:%S')} {ended}; it was started again")
        return said

    def status(self) -> tuple[PartStatus, ...]:
        """Every process as it is."""
        return tuple(
            PartStatus(name, part.process.pid, str(part.log), self.restarts[name]) for name, part in self.parts.items()
        )
