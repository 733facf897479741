"""How this project says that something is wrong: one message for each fault, and all of them together.

A fault names the place, what was given, what is allowed and what to change. Judges return lists of faults and never
raise; whoever asked decides what a fault means there (a refused stack, a policy violation, a finding in a manifest).
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import asdict, dataclass


class Severity(enum.StrEnum):
    """What a finding does to the run that meets it."""

    ERROR = "error"  # refused: exit code 1, nothing is created
    WARNING = "warning"  # printed, and the run goes on


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong, said once."""

    path: str
    """Where, as a reader would look for it: ``pools[serve].cards[L4-24GB].markets[spot].ceiling_cards``."""
    given: str
    """The value as it was given, or what is there, in words."""
    allowed: str
    """What would be accepted, and the reason where it is not obvious."""
    change: str
    """What to do about it, as an instruction."""
    severity: Severity = Severity.ERROR

    def __str__(self) -> str:
        return f"{self.path}: given {self.given}; allowed: {self.allowed}. Change: {self.change}"

    def as_json(self) -> dict[str, str]:
        """The fault as plain data, for ``--format json``."""
        return {key: str(value) for key, value in asdict(self).items()}


def warning(path: str, given: str, allowed: str, change: str) -> Fault:
    """A finding that is worth saying and does not refuse anything."""
    return Fault(path, given, allowed, change, Severity.WARNING)


def errors(faults: Iterable[Fault]) -> list[Fault]:
    """Only the faults that refuse, in the order given."""
    return [fault for fault in faults if fault.severity is Severity.ERROR]


def warnings(faults: Iterable[Fault]) -> list[Fault]:
    """Only the faults that are merely said, in the order given."""
    return [fault for fault in faults if fault.severity is Severity.WARNING]
