"""The fields that the DCGM exporter is configured to measure on each card."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass

from gpuplatform.catalog._csv import cited, flag, table


@dataclass(frozen=True, slots=True)
class Counter:
    """One field of DCGM, or one that the exporter computes from such fields."""

    field: str
    """Also the name of its series."""
    type: str
    """``gauge`` or ``counter``."""
    help: str
    in_default_set: bool
    """Whether the exporter's default configuration measures it."""
    source: str


@functools.cache
def counters() -> tuple[Counter, ...]:
    """Every counter, in the order of the exporter's file."""
    return table("dcgm_counters.csv", _counter)


def _counter(row: Mapping[str, str]) -> Counter:
    return Counter(row["field"], row["type"], cited(row["help"]), flag(row["in_default_set"]), cited(row["source"]))
