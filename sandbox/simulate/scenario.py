"""The input of a simulation: workloads, the capacity that EC2 has run out of, a disturbance, and the time."""

from __future__ import annotations

import datetime
import enum
from dataclasses import dataclass

from gpuplatform.render.document import Document


@dataclass(frozen=True, slots=True)
class Shortage:
    """A type, zone and market that EC2 has run out of; an empty field means any."""

    instance_type: str = ""
    zone: str = ""
    market: str = ""


class Shock(enum.StrEnum):
    """An event that affects a pool's nodes once the workloads run."""

    INTERRUPTION = "interruption"  # EC2 takes every spot node back
    DRIFT = "drift"  # a newer image is released


@dataclass(frozen=True, slots=True)
class Disturbance:
    """A shock to one pool."""

    shock: Shock
    pool: str


@dataclass(frozen=True, slots=True)
class Scenario:
    """Workloads and the circumstances in which they are applied."""

    workloads: tuple[Document, ...]
    shortages: tuple[Shortage, ...] = ()
    event: Disturbance | None = None
    at: datetime.datetime | None = None
    """The time on Karpenter's clock; None for the machine's time."""
