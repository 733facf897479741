"""The EC2 instance types that the platform knows: every NVIDIA type, Inferentia and Trainium, and common CPU types.

The figures are in ``data/instance_types.csv``, each row with its public source. The allocatable
figures are those that Karpenter expects of a node with a default node class, before it has seen one.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from gpuplatform.catalog._csv import cited, table
from gpuplatform.catalog.cards import Card, cards
from gpuplatform.catalog.mig import MigGeometry

FRACTION_CARD = "L4-24GB"
"""The card of which a fractional type has a part."""


@dataclass(frozen=True, slots=True)
class InstanceType:
    """One EC2 instance type."""

    name: str
    family: str
    """The part before the dot: ``g6e``, ``p6-b200``."""
    architecture: str
    """``amd64`` or ``arm64``."""
    vcpus: int
    memory_mib: int
    """As sold; the operating system sees less."""
    card: str | None
    """Name of the NVIDIA card; None for CPU and Neuron types and for a fraction of a card."""
    cards: int
    """Physical NVIDIA cards; 0 for a fraction of one."""
    fraction_memory_mib: int | None
    """Memory of a fraction of one L4 (g6f, gr6f), as Karpenter's label ``instance-gpu-memory`` gives it; None for a
    type without such a fraction."""
    neuron_devices: int
    """Inferentia or Trainium devices, which the node offers as ``aws.amazon.com/neuron``."""
    neuron_name: str | None
    """Value of ``karpenter.k8s.aws/instance-accelerator-name``: ``inferentia2``, ``trainium``."""
    neuron_cores: int
    """Cores of all devices together."""
    nvme_gb: int
    """Size of all instance store disks together; 0 where the type has no such disk."""
    network_mbps: int
    """Sustained, as Karpenter's label ``instance-network-bandwidth`` gives it."""
    efa_interfaces: int
    """The most that one node can have; 0 where the type has no EFA."""
    first_efa_card: int | None
    """The first network card that takes an EFA interface, as does every later card; None without EFA."""
    allocatable_cpu_millis: int
    allocatable_memory_mib: int
    max_pods: int
    """As limited by the addresses of the default network card, without prefix delegation."""
    source: str

    @property
    def fractional(self) -> bool:
        """Whether the type has a fraction of one card: its node offers no ``nvidia.com/gpu``."""
        return self.fraction_memory_mib is not None

    @property
    def has_nvidia(self) -> bool:
        """Whether the type has an NVIDIA card or a fraction of one."""
        return self.card is not None or self.fractional

    @property
    def nvidia_card(self) -> Card | None:
        """The NVIDIA card that the type carries whole; None for a type without one."""
        return cards()[self.card] if self.card else None

    @property
    def geometry(self) -> MigGeometry | None:
        """The MIG geometry of the type's cards; None where MIG cannot cut them, or the placements are not published."""
        return self.nvidia_card.geometry if self.nvidia_card else None

    @property
    def efa_cards(self) -> range:
        """The network cards that take an EFA interface, one each."""
        first = self.first_efa_card or 0
        return range(first, first + self.efa_interfaces)


@functools.cache
def instance_types() -> Mapping[str, InstanceType]:
    """Every instance type by its name."""
    return MappingProxyType({row.name: row for row in table("instance_types.csv", _instance_type)})


def instance_type(name: str) -> InstanceType | None:
    """The instance type of that name, or None."""
    return instance_types().get(name)


def types_named(names: Iterable[str]) -> tuple[InstanceType, ...]:
    """The types of these names, in their order; a name that the catalog lacks is left out."""
    return tuple(instance_types()[name] for name in names if name in instance_types())


def types_with_card(card: str) -> tuple[InstanceType, ...]:
    """Every type whose nodes carry whole cards of that name; empty for an unknown card."""
    return tuple(row for row in instance_types().values() if row.card == card)


def _instance_type(row: Mapping[str, str]) -> InstanceType:
    name = row["name"]
    return InstanceType(
        name=name,
        family=name.partition(".")[0],
        architecture=row["architecture"],
        vcpus=int(row["vcpus"]),
        memory_mib=int(row["memory_mib"]),
        card=row["card"] or None,
        cards=int(row["cards"]),
        fraction_memory_mib=int(row["fraction_memory_mib"]) if row["fraction_memory_mib"] else None,
        neuron_devices=int(row["neuron_devices"]),
        neuron_name=row["neuron_name"] or None,
        neuron_cores=int(row["neuron_cores"]),
        nvme_gb=int(row["nvme_gb"]),
        network_mbps=int(row["network_mbps"]),
        efa_interfaces=int(row["efa_interfaces"]),
        first_efa_card=int(row["first_efa_card"]) if row["first_efa_card"] else None,
        allocatable_cpu_millis=int(row["allocatable_cpu_millis"]),
        allocatable_memory_mib=int(row["allocatable_memory_mib"]),
        max_pods=int(row["max_pods"]),
        source=cited(row["source"]),
    )
