"""How the stack's queues share cards, and how far quotas may go beyond what the pools can have (Q6, Q7, B5)."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated

from pydantic import Field

from gpuplatform.settings.model import Model


class Queues(Model):
    """What holds for every team together."""

    overcommit_ratio: Annotated[float, Field(gt=0, le=10)] = 1.0
    """The most that the teams' guaranteed quotas of a resource may be, as a multiple of what its pools can have."""
    start_timeout_minutes: Annotated[int, Field(ge=5, le=240)] = 45
    """All pods of an admitted job run within this time, or all of it waits again; longer than the slowest launch."""

    def guaranteeable(self, units: int) -> int:
        """The most that may be guaranteed of so many, in whole ones."""
        return int(units * Fraction(str(self.overcommit_ratio)))
