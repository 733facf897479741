"""The NVIDIA cards that EC2 sells whole: the names of each card, its memory, and its MIG geometry.

The figures are in ``data/cards.csv``, each row with its public sources. One card has up to four names: the
catalog's own (``B300-269GB``, used in settings and on the command line), the model that the label standard writes
(``B300``), the row of the MIG table, and the value of Karpenter's label ``karpenter.k8s.aws/instance-gpu-name``.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from gpuplatform.catalog._csv import cited, flag, table
from gpuplatform.catalog.mig import MigGeometry, geometry


@dataclass(frozen=True, slots=True)
class Card:
    """One NVIDIA card with one size of memory."""

    name: str
    """Unique, as in settings and on the command line: ``A100-80GB``; the MIG table's name where it has one."""
    model: str
    """Value of the standard's model label: ``A100``, ``RTX-PRO-6000``. Two memory sizes share one model."""
    memory_gb: int
    """Memory of one card as sold (B300: 288, though its MIG table is named after the 269 that a slice can use)."""
    mig_table: str | None
    """Row name in the MIG table; None for a card without MIG, or without published placements."""
    minimum_driver: str | None
    """Lowest driver, or driver branch (``595``), that runs the card and cuts it with MIG; None where no source says."""
    karpenter_gpu_name: str
    """Value of ``karpenter.k8s.aws/instance-gpu-name``: ``a100``, for both memory sizes."""
    karpenter_gpu_memory_mib: int
    """Value of ``karpenter.k8s.aws/instance-gpu-memory``: MiB of one card, as EC2 reports them."""
    legacy: bool
    """Whether the newest driver branches no longer support the card's generation."""
    source: str

    @property
    def geometry(self) -> MigGeometry | None:
        """The MIG geometry of the card; None for a card without MIG, or without published placements."""
        return geometry(self.mig_table) if self.mig_table else None


@functools.cache
def cards() -> Mapping[str, Card]:
    """Every card by its name, oldest first."""
    return MappingProxyType({row.name: row for row in table("cards.csv", _card)})


def card(name: str) -> Card | None:
    """The card of that name, or None."""
    return cards().get(name)


def _card(row: Mapping[str, str]) -> Card:
    return Card(
        name=row["name"],
        model=row["model"],
        memory_gb=int(row["memory_gb"]),
        mig_table=row["mig_table"] or None,
        minimum_driver=row["minimum_driver"] or None,
        karpenter_gpu_name=row["karpenter_gpu_name"],
        karpenter_gpu_memory_mib=int(row["karpenter_gpu_memory_mib"]),
        legacy=flag(row["legacy"]),
        source=cited(row["source"]),
    )
