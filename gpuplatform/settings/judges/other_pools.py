"""CPU and Neuron pools: ceilings that hold one node, and windows."""

from __future__ import annotations

from gpuplatform.catalog.instance_types import instance_type
from gpuplatform.faults import Fault
from gpuplatform.settings.draft import Draft
from gpuplatform.settings.judges.pools import windows
from gpuplatform.standard.markets import Market


def judge(draft: Draft) -> list[Fault]:
    """What is wrong in each CPU and Neuron pool."""
    faults: list[Fault] = []
    for pool in draft.cpu_pools:
        path = f"cpu_pools[{pool.name}]"
        largest = max((found.vcpus for name in pool.instance_types if (found := instance_type(name))), default=0)
        faults += _ceiling(f"{path}.ceiling_vcpus", pool.ceiling_vcpus, largest, "vCPUs")
        faults += _reserved(f"{path}.markets", pool.markets) + windows(f"{path}.disruption", pool.disruption)
    for neuron in draft.neuron_pools:
        path = f"neuron_pools[{neuron.name}]"
        devices = (found.neuron_devices for name in neuron.instance_types if (found := instance_type(name)))
        faults += _ceiling(f"{path}.ceiling_devices", neuron.ceiling_devices, max(devices, default=0), "devices")
        faults += _reserved(f"{path}.markets", neuron.markets) + windows(f"{path}.disruption", neuron.disruption)
    return faults


def _ceiling(path: str, given: int, largest: int, unit: str) -> list[Fault]:
    if given >= largest:
        return []
    allowed = f"at least {largest}: the {unit} of its largest type, or that type never launches"
    return [Fault(path, str(given), allowed, f"write {largest} or more, or remove the largest type")]


def _reserved(path: str, markets: tuple[Market, ...]) -> list[Fault]:
    if Market.RESERVED not in markets:
        return []
    return [Fault(path, "reserved", "spot and on-demand: reservations are for GPU pools", "remove it")]
