"""Where a provider process finds what it needs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

_NONE = "-"


@dataclass(frozen=True, slots=True)
class Place:
    """Files of one stack on this machine."""

    world: Path
    """What the stand-ins have made."""
    stack_file: Path
    control_plane: Path | None
    """The folder of a real control plane, where there is one; then Kubernetes objects go there."""

    def arguments(self) -> list[str]:
        """As a command line carries it."""
        return [str(self.world), str(self.stack_file), str(self.control_plane or _NONE)]

    @classmethod
    def of(cls, arguments: list[str]) -> Place:
        """From a command line."""
        world, stack_file, control_plane = arguments
        return cls(Path(world), Path(stack_file), None if control_plane == _NONE else Path(control_plane))
