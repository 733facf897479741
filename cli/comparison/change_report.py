"""The result of ``check --was``: the change from earlier settings to a stack's settings, and its unknown parts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from cli.comparison.earlier import earlier_stack
from cli.comparison.source import earlier_source
from cli.comparison.workloads import default_workloads, workloads_of
from cli.comparison.writing import change_json, change_lines
from gpuplatform.accept import Loaded, valid_part
from gpuplatform.changes.comparison import Change, compare, stack_of
from gpuplatform.faults import Fault, Severity


@dataclass(frozen=True, slots=True)
class ChangeReport:
    """A change (None if the two stacks cannot be compared) with notes on the comparison."""

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
            *(change_lines(self.change, is_whole=not self.unknown) if self.change else ()),
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


def change_report(was: str, file: Path, loaded: Loaded, workloads: Path | None) -> ChangeReport:
    """The change from the earlier settings that ``was`` names to those of ``file``, which are ``loaded``.

    Of refused settings, the valid parts are compared.
    """
    settings, left_out = valid_part(loaded)
    manifests = workloads_of(default_workloads() if workloads is None else workloads)
    with earlier_source("--was", was, file, settings.environment if settings else None) as source:
        earlier = earlier_stack(source)
    unknown = (*earlier.unknown, *manifests.unknown)
    if left_out:
        unknown += (f"parts of the new settings that cannot be read: {', '.join(left_out)}",)
    if settings is None or earlier.stack is None:
        side = "new" if settings is None else "earlier"
        reason = f"the change: too few of the {side} settings can be read"
        return ChangeReport(None, earlier.notes, (*unknown, reason))
    change = compare(earlier.stack, stack_of(settings), manifests.manifests)
    return ChangeReport(change, earlier.notes, (*unknown, *change.unknown))
