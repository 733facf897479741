"""What one pod needs, as the person who runs it says it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Need:
    """One pod; every amount is more than zero."""

    memory_gib: float
    """Of each of its cards."""
    isolation: bool
    """Its memory is walled off, and a fault of a neighbour does not end it."""
    bursty: bool
    """Idle most of the time, such as a notebook; False is steady work."""
    cpu_millis: int
    host_memory_gib: float
    cards: int = 1
    """Whole cards of one node; more than one cannot be shared."""
    interruptible: bool = False
    """It may run on spot."""
