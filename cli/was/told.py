"""What ``check --was`` tells: the change from earlier settings to a stack file, with all that is not known of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from cli.was.earlier import earlier_stack
from cli.was.source import earlier_source
from cli.was.workloads import default_workloads, workloads_of
from cli.was.writing import change_json, change_lines
from gpuplatform.changes.comparison import Change, compare, stack_of
from gpuplatform.faults import Fault, Severity
from gpuplatform.settings.load import salvaged_file


@dataclass(frozen=True, slots=True)
class Told:
    """A change, None where nothing can be compared, and what the reader has to know of the comparison."""

    change: Change | None
    notes: tuple[str, ...]
    unknown: tuple[str, ...]
    """What cannot be told, and why."""

    @property
    def faults(self) -> tuple[Fault, ...]:
        """What refuses the change."""
        return self.change.faults if self.change else ()

    @property
    def lines(self) -> list[str]:
        """The change for a person: first what is not known of it."""
        return [
            *(f"note: {note}" for note in self.notes),
            *(f"not known: {line}" for line in self.unknown),
            *(change_lines(self.change, whole=not self.unknown) if self.change else ()),
        ]

    def breaks(self, severity: Severity) -> tuple[Fault, ...]:
        """Whom the change breaks."""
        return self.change.breaks(severity) if self.change else ()

    def as_json(self) -> dict[str, object]:
        """The change as plain data."""
        told = {"notes": list(self.notes), "unknown": list(self.unknown)}
        if self.change is None:
            return {**no_change_json(), "change": told}
        return change_json(self.change, told)


def no_change_json() -> dict[str, object]:
    """The keys of a change where there is none, so that a reader finds them always."""
    return {"change": None, "replaced_nodepools": [], "unqueued_namespaces": []}


def told_change(was: str, file: Path, workloads: Path | None) -> Told:
    """The change from the earlier settings that ``was`` names to those of the file, refused ones as far as they go."""
    settings, left_out = salvaged_file(file)
    held = workloads_of(default_workloads() if workloads is None else workloads)
    with earlier_source("--was", was, file, settings.environment if settings else None) as source:
        earlier = earlier_stack(source)
    unknown = (*earlier.unknown, *held.unknown)
    if left_out:
        unknown += (f"of the new settings, because they cannot be read: {', '.join(left_out)}",)
    if settings is None or earlier.stack is None:
        side = "new" if settings is None else "earlier"
        return Told(None, earlier.notes, (*unknown, f"the change: too little of the {side} settings can be read"))
    change = compare(earlier.stack, stack_of(settings), held.manifests)
    return Told(change, earlier.notes, (*unknown, *change.unknown))
