"""A day's workloads and their needs, read from a CSV file with one row for each workload."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from gpuplatform.standard.labels import Purpose, Role

COLUMNS = (
    "name", "team", "kind", "purpose", "replicas", "cards_per_replica", "nodes_per_replica", "gpu_memory_gib",
    "compute_share", "isolation", "interruptible", "host_cpu", "host_memory_gib", "minutes",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Row:
    """One workload of the day."""

    name: str
    namespace: str
    purpose: Purpose
    pods: int
    """Replicas times the nodes of one replica."""
    cards: int
    """The cards of one pod."""
    memory_gib: float
    """The memory that a pod needs of one card."""
    compute: float
    """The share of a card's compute that a pod needs."""
    isolation: bool
    interruptible: bool
    cpu_millis: int
    memory_mib: int

    @property
    def role(self) -> Role:
        """Chief where the name ends in ``-chief``, else worker."""
        return Role.CHIEF if self.name.endswith("-chief") else Role.WORKER


class WorkloadError(Exception):
    """A workload file is not valid; the message contains every fault."""


def read(path: Path) -> tuple[Row, ...]:
    """The rows of a file. Raises WorkloadError with one line for each fault."""
    try:
        with path.open(encoding="utf-8", newline="") as text:
            reader = csv.DictReader(line for line in text if not line.startswith("#"))
            written = list(reader)
    except (OSError, UnicodeDecodeError) as error:
        raise WorkloadError(f"{path}: cannot be read: {error}") from None
    missing = [column for column in COLUMNS if column not in (reader.fieldnames or ())]
    if missing:
        raise WorkloadError(f"{path}: no column {', '.join(missing)}; wanted: {', '.join(COLUMNS)}")
    rows: list[Row] = []
    faults: list[str] = []
    for number, record in enumerate(written, 1):
        try:
            rows.append(_row(record))
        except ValueError as error:
            faults.append(f"{path}: row {number} ({record['name']}): {error}")
    if not written:
        faults.append(f"{path}: no rows")
    if len({row.name for row in rows}) < len(rows):
        faults.append(f"{path}: two rows have the same name; wanted: a different name for each row")
    if faults:
        raise WorkloadError("\n".join(faults))
    return tuple(rows)


def _row(written: Mapping[str, str]) -> Row:
    return Row(
        written["name"],
        written["team"],
        Purpose(written["purpose"]),
        _whole(written, "replicas") * _whole(written, "nodes_per_replica"),
        _whole(written, "cards_per_replica"),
        _positive(written, "gpu_memory_gib"),
        _positive(written, "compute_share"),
        _yes(written, "isolation"),
        _yes(written, "interruptible"),
        round(_positive(written, "host_cpu") * 1000),
        round(_positive(written, "host_memory_gib") * 1024),
    )


def _whole(written: Mapping[str, str], column: str) -> int:
    value = int(written[column])
    if value < 1:
        raise ValueError(f"{column} is {value}; wanted: 1 or more")
    return value


def _positive(written: Mapping[str, str], column: str) -> float:
    value = float(written[column])
    if not 0 < value < 1e6:
        raise ValueError(f"{column} is {value:g}; wanted: a number above 0")
    return value


def _yes(written: Mapping[str, str], column: str) -> bool:
    if written[column] not in ("yes", "no"):
        raise ValueError(f"{column} is {written[column]!r}; wanted: yes or no")
    return written[column] == "yes"
