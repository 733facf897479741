"""How far quotas may go beyond what the pools can have (B5)."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from gpuplatform.settings.model import Model


class Queues(Model):
    """What holds for every team together."""

    overcommit_ratio: Annotated[float, Field(gt=0, le=10)] = 1.0
    """The most that the teams' guaranteed quotas of a resource may be, as a multiple of what its pools can have."""
