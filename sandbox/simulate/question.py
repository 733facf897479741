"""What is asked: workloads, what EC2 lacks, what happens to the nodes, and when."""

from __future__ import annotations

import datetime
import enum
from dataclasses import dataclass

from gpuplatform.render.document import Document


@dataclass(frozen=True, slots=True)
class Lacking:
    """What EC2 has no capacity of; empty means any."""

    instance_type: str = ""
    zone: str = ""
    market: str = ""


class Shock(enum.StrEnum):
    """What happens to a pool's nodes once the workloads run."""

    INTERRUPTION = "interruption"  # EC2 takes every spot node back
    DRIFT = "drift"  # a newer image is released


@dataclass(frozen=True, slots=True)
class Event:
    """A shock to one pool."""

    shock: Shock
    pool: str


@dataclass(frozen=True, slots=True)
class Question:
    """Workloads and the circumstances in which they are applied."""

    workloads: tuple[Document, ...]
    lacking: tuple[Lacking, ...] = ()
    event: Event | None = None
    at: datetime.datetime | None = None
    """What Karpenter's clock shows; the machine's time where it is None."""
