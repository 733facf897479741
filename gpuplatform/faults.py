"""How this project reports what is wrong: one message for each fault, and all of them together.

A fault names the place, what was given, what is allowed and what to change. Checks return lists of faults and never
raise; the caller decides what a fault leads to (a refused stack, a policy violation, a finding in a manifest).
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import asdict, dataclass


class Severity(enum.StrEnum):
    """The consequence of a fault for the run that finds it."""

    ERROR = "error"  # refused: exit code 1, nothing is created
    WARNING = "warning"  # printed; the run continues


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong, reported once."""

    path: str
    """The path in the settings, such as ``pools[serve].cards[L4-24GB].markets[spot].ceiling_cards``."""
    given: str
    """The value as it was given, or a description of what stands there."""
    allowed: str
    """Which values are accepted, and the reason where it is not obvious."""
    change: str
    """How to fix it, as an instruction."""
    severity: Severity = Severity.ERROR

    def __str__(self) -> str:
        return f"{self.path}: given {self.given}; allowed: {self.allowed}. Change: {self.change}"

    def as_json(self) -> dict[str, str]:
        """The fault as plain data, for ``--format json``."""
        return {key: str(value) for key, value in asdict(self).items()}


def warning(path: str, given: str, allowed: str, change: str) -> Fault:
    """A fault that is reported and refuses nothing."""
    return Fault(path, given, allowed, change, Severity.WARNING)


def errors(faults: Iterable[Fault]) -> list[Fault]:
    """Only the faults that refuse the run, in the same order."""
    return [fault for fault in faults if fault.severity is Severity.ERROR]


def warnings(faults: Iterable[Fault]) -> list[Fault]:
    """Only the faults that are printed and refuse nothing, in the same order."""
    return [fault for fault in faults if fault.severity is Severity.WARNING]
