"""What ``check --was`` tells: the change from earlier settings to a stack file, with all that is not known of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from cli.was.earlier import earlier_stack
from cli.was.source import earlier_source
from cli.was.workloads import default_workloads, manifests
from cli.was.writing import change_json, change_lines
from gpuplatform.changes.comparison import Change, compare, stack_of
from gpuplatform.faults import Fault, Severity
from gpuplatform.settings.load import salvaged_file


@dataclass(frozen=True, slots=True)
class Told:
    """A change, None where nothing can be compared, and what the reader has to know of the comparison."""

    change: Change | None
    notes: tuple[str, ...]

    @property
    def faults(self) -> tuple[Fault, ...]:
        """What refuses the change."""
        return self.change.faults if self.change else ()

    @property
    def lines(self) -> list[str]:
        """The change for a person."""
        return change_lines(self.change, self.notes) if self.change else [f"note: {note}" for note in self.notes]

    def breaks(self, severity: Severity) -> tuple[Fault, ...]:
        """Whom the change breaks."""
        return self.change.breaks(severity) if self.change else ()

    def as_json(self) -> dict[str, object]:
        """The change as plain data."""
        return change_json(self.change, self.notes) if self.change else no_change_json(self.notes)


def no_change_json(notes: tuple[str, ...] = ()) -> dict[str, object]:
    """The keys of a change where there is none, so that a reader finds them always."""
    change = {"notes": list(notes)} if notes else None
    return {"change": change, "replaced_nodepools": [], "unqueued_namespaces": []}


def told_change(was: str, file: Path, workloads: Path | None) -> Told:
    """The change from the earlier settings that ``was`` names to those of the file, refused ones as far as they go."""
    settings, left_out = salvaged_file(file)
    held = manifests(default_workloads() if workloads is None else workloads)
    with earlier_source("--was", was, file, settings.environment if settings else None) as source:
        earlier = earlier_stack(source)
    notes = earlier.notes
    if left_out:
        notes += (f"left out of the new settings, because it cannot be read: {', '.join(left_out)}",)
    if settings is None or earlier.stack is None:
        side = "new" if settings is None else "earlier"
        return Told(None, (*notes, f"the change is not known: too little of the {side} settings can be read"))
    return Told(compare(earlier.stack, stack_of(settings), held), notes)
