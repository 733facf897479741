"""What a machine has and what it leaves to pods, from the platform's own catalogue."""

from __future__ import annotations

from gpuplatform.catalog.instance_types import InstanceType
from gpuplatform.standard import resources

_HYPERVISOR_SHARE = 0.075
"""Of a machine's memory that the AWS provider takes for lost (its default ``vmMemoryOverheadPercent``)."""


def allocatable_of(each: InstanceType) -> dict[str, str]:
    """What a node of a type leaves to pods of the resources of which its system takes a part."""
    return {
        resources.CPU: f"{each.allocatable_cpu_millis}m",
        resources.MEMORY: f"{each.allocatable_memory_mib}Mi",
    }


def capacity_of(each: InstanceType) -> dict[str, str]:
    """What a node of a type has."""
    seen = int(each.memory_mib * (1 - _HYPERVISOR_SHARE))
    capacity = {
        resources.CPU: str(each.vcpus),
        # The figures for pods are measured, the share is an estimate: capacity is never below them.
        resources.MEMORY: f"{max(seen, each.allocatable_memory_mib)}Mi",
        resources.PODS: str(each.max_pods),
    }
    devices = {
        resources.GPU: each.cards,
        resources.NEURON: each.neuron_devices,
        resources.NEURON_CORE: each.neuron_cores,
        resources.EFA: each.efa_interfaces,
    }
    return capacity | {name: str(count) for name, count in devices.items() if count}
