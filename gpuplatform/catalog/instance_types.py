"""The EC2 instance types that the platform knows: every NVIDIA type, Inferentia and Trainium, and common CPU types.

The figures are in ``data/instance_types.csv``, each row with its public source. What a node can give to pods
(allocatable) is the figure that Karpenter computes for a default node class; where only a type's raw figures are
public, :func:`allocatable` computes it as Karpenter does, and the row's source says so.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from gpuplatform.catalog._csv import cited, flag, table

# The figures of a default node class: Karpenter v1.14.1 pkg/providers/instancetype/types.go and its default options.
_CPU_RESERVED_MILLIS = (60, 10, 5, 5)
"""Of the first four vCPUs, in order; 6, 1 and twice 0.5 percent."""
_CPU_RESERVED_PER_HUNDRED_BEYOND = 250
"""Millis of every hundred vCPUs after those: 0.25 percent."""
_VM_OVERHEAD_PER_MILLE = 75
"""Memory that the hypervisor keeps."""
_GRAVITON_RESERVED_MIB = 64
_EVICTION_THRESHOLD_MIB = 100
_KUBE_RESERVED_MIB = 255
_KUBE_RESERVED_MIB_PER_POD = 11


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
    """Name of the NVIDIA card; none for CPU and Neuron types and for a fraction of a card."""
    cards: int
    """Physical NVIDIA cards; 0 for a fraction of one."""
    fractional: bool
    """A fraction of one L4 (g6f, gr6f): the node offers no ``nvidia.com/gpu``."""
    neuron_devices: int
    """Inferentia or Trainium devices, which the node offers as ``aws.amazon.com/neuron``."""
    neuron_name: str | None
    """Value of ``karpenter.k8s.aws/instance-accelerator-name``: ``inferentia2``, ``trainium``."""
    neuron_cores: int
    """Of all devices together."""
    nvme_gb: int
    """Of all instance store disks together; 0 where there is none."""
    network_mbps: int
    """Sustained, as Karpenter's label ``instance-network-bandwidth`` gives it."""
    efa_interfaces: int
    """The most that one node can have; 0 where the type has no EFA."""
    allocatable_cpu_millis: int
    allocatable_memory_mib: int
    max_pods: int
    """By addresses of the default network card, without prefix delegation."""
    source: str


@dataclass(frozen=True, slots=True)
class Allocatable:
    """What is left of a node for pods."""

    cpu_millis: int
    memory_mib: int


@functools.cache
def instance_types() -> Mapping[str, InstanceType]:
    """Every instance type by its name."""
    return MappingProxyType({each.name: each for each in table("instance_types.csv", _instance_type)})


def instance_type(name: str) -> InstanceType | None:
    """The instance type of that name, or none."""
    return instance_types().get(name)


def types_with_card(card: str) -> tuple[InstanceType, ...]:
    """Every type whose nodes carry whole cards of that name; empty for a card nobody knows."""
    return tuple(each for each in instance_types().values() if each.card == card)


def allocatable(*, architecture: str, vcpus: int, memory_mib: int, max_pods: int) -> Allocatable:
    """What Karpenter expects a node of these raw figures to have for pods, with a default node class."""
    first = _CPU_RESERVED_MILLIS[:vcpus]
    reserved_millis = sum(first) + (vcpus - len(first)) * _CPU_RESERVED_PER_HUNDRED_BEYOND // 100
    seen_mib = memory_mib - (_GRAVITON_RESERVED_MIB if architecture == "arm64" else 0)
    seen_mib = seen_mib * (1000 - _VM_OVERHEAD_PER_MILLE) // 1000
    kube_reserved_mib = _KUBE_RESERVED_MIB_PER_POD * max_pods + _KUBE_RESERVED_MIB
    return Allocatable(
        cpu_millis=1000 * vcpus - reserved_millis,
        memory_mib=seen_mib - kube_reserved_mib - _EVICTION_THRESHOLD_MIB,
    )


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
        fractional=flag(row["fractional"]),
        neuron_devices=int(row["neuron_devices"]),
        neuron_name=row["neuron_name"] or None,
        neuron_cores=int(row["neuron_cores"]),
        nvme_gb=int(row["nvme_gb"]),
        network_mbps=int(row["network_mbps"]),
        efa_interfaces=int(row["efa_interfaces"]),
        allocatable_cpu_millis=int(row["allocatable_cpu_millis"]),
        allocatable_memory_mib=int(row["allocatable_memory_mib"]),
        max_pods=int(row["max_pods"]),
        source=cited(row["source"]),
    )
