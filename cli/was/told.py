"""The result of ``check --was``: the change from earlier settings to a stack file, and its unknown parts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from cli.was.earlier import earlier_stack
from cli.was.source import earlier_source
from cli.was.workloads import default_workloads, workloads_of
from cli.was.writing import change_json, change_lines
from gpuplatform.accept import salvaged_file
from gpuplatform.changes.comparison import Change, compare, stack_of
from gpuplatform.faults import Fault, Severity


@dataclass(frozen=True, slots=True)
class Told:
    """A change (None if the two cannot be compared) with notes on the comparison."""

    change: Change | None
    notes: tuple[str, ...]
    unknown: tuple[str, ...]
    """The parts that are not known, and why."""

    @property
    def faults(self) -> tuple[Fault, ...]:
        """The faults that refuse the change."""
        return self.change.faults if self.change else ()

    @property
    def lines(self) -> list[str]:
        """The change for a person, with the unknown parts first."""
        return [
            *(f"note: {note}" for note in self.notes),
            *(f"not known: {line}" for line in self.unknown),
            *(change_lines(self.change, whole=not self.unknown) if self.change else ()),
        ]

    def breaks(self, severity: Severity) -> tuple[Fault, ...]:
        """The pools and manifests that the change breaks."""
        return self.change.breaks(severity) if self.change else ()

    def as_json(self) -> dict[str, object]:
        """The change as plain data."""
        notes = {"notes": list(self.notes), "unknown": list(self.unknown)}
        if self.change is None:
            return {**no_change_json(), "change": notes}
        return change_json(self.change, notes)


def no_change_json() -> dict[str, object]:
    """The keys of a change without one, so that they are always present."""
    return {"change": None, "replaced_nodepools": [], "unqueued_namespaces": []}


def told_change(was: str, file: Path, workloads: Path | None) -> Told:
    """The change from the earlier settings that ``was`` names to the file; of refused settings the readable parts."""
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
