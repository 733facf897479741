"""The instance types that the sandbox's EC2 sells: capacity, labels, prices and reservations, from the catalog."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from gpuplatform.catalog.instance_types import InstanceType, instance_type, instance_types
from gpuplatform.plan.prices import Prices
from gpuplatform.settings.settings import Settings
from gpuplatform.standard import resources
from gpuplatform.standard.instance_labels import instance_labels
from gpuplatform.standard.markets import Market

_HYPERVISOR_SHARE = 0.075
"""The share of a machine's memory that the AWS provider subtracts (its default ``vmMemoryOverheadPercent``)."""


def allocatable_of(machine: InstanceType) -> dict[str, str]:
    """The CPU and memory that a node of a type leaves to pods, after its system's share."""
    return {
        resources.CPU: f"{machine.allocatable_cpu_millis}m",
        resources.MEMORY: f"{machine.allocatable_memory_mib}Mi",
    }


def capacity_of(machine: InstanceType) -> dict[str, str]:
    """The resources of a node of a type."""
    seen = int(machine.memory_mib * (1 - _HYPERVISOR_SHARE))
    capacity = {
        resources.CPU: str(machine.vcpus),
        # The figures for pods are measured, the share is an estimate: capacity is never below them.
        resources.MEMORY: f"{max(seen, machine.allocatable_memory_mib)}Mi",
        resources.PODS: str(machine.max_pods),
    }
    devices = {
        resources.GPU: machine.cards,
        resources.NEURON: machine.neuron_devices,
        resources.NEURON_CORE: machine.neuron_cores,
        resources.EFA: machine.efa_interfaces,
    }
    return capacity | {name: str(count) for name, count in devices.items() if count}


@dataclass(frozen=True, slots=True)
class Reservation:
    """A capacity reservation of EC2: it is paid for whether or not it is used."""

    id: str
    instance_type: str
    zone: str
    nodes: int


@dataclass(frozen=True, slots=True)
class Ec2:
    """EC2 in one region, with a stack's prices and reservations."""

    region: str
    zones: tuple[str, ...]
    prices: Prices
    reservations: tuple[Reservation, ...] = ()

    def usd_per_hour(self, name: str, market: Market) -> float:
        """The price of a node in US dollars. Raises LookupError for a type without a price: none is sold here."""
        price = self.prices.usd_per_hour(name, market)
        if price is None:
            raise LookupError(f"{name} has no price in {self.region}")
        return price

    def catalog(self) -> str:
        """The JSON that the sandbox's Karpenter reads."""
        return json.dumps(
            {
                "region": self.region,
                "zones": list(self.zones),
                "types": [self._type(machine) for machine in instance_types().values()],
                "reservations": [
                    {
                        "id": reservation.id,
                        "instanceType": reservation.instance_type,
                        "zone": reservation.zone,
                        "count": reservation.nodes,
                    }
                    for reservation in self.reservations
                ],
            },
            indent=1,
        )

    def _type(self, machine: InstanceType) -> dict[str, object]:
        priced = {market: self.prices.usd_per_hour(machine.name, market) for market in (Market.SPOT, Market.ON_DEMAND)}
        table = _mig_table(machine)
        return {
            "name": machine.name,
            "architecture": machine.architecture,
            "labels": dict(instance_labels(machine.name)),
            "capacity": capacity_of(machine),
            "allocatable": allocatable_of(machine),
            "cards": machine.cards,
            "mig": table is not None,
            "devices": list(table or ()),
            "usdPerHour": {market.value: price for market, price in priced.items() if price is not None},
        }


def ec2_of(settings: Settings) -> Ec2:
    """EC2 as a stack sees it. The settings do not name a reservation's zone: the stack's first zone is taken."""
    zones = tuple(settings.network.zones)
    return Ec2(settings.region, zones, Prices(settings.region, settings.cost), tuple(_reservations(settings, zones[0])))


def _mig_table(machine: InstanceType) -> tuple[str, ...] | None:
    """The PCI device ids of a type's cards; None where the cards have no MIG, or no published MIG table."""
    return machine.geometry.device_ids if machine.geometry else None


def _reservations(settings: Settings, zone: str) -> Iterable[Reservation]:
    for pool in settings.pools:
        for choice in pool.cards:
            sold = instance_type(choice.instance_types[0])
            for market in choice.markets:
                for reservation_id in market.reservation_ids:
                    cards = market.ceiling_cards or 0
                    nodes = cards // len(market.reservation_ids) // max(1, sold.cards if sold else 1)
                    yield Reservation(reservation_id, choice.instance_types[0], zone, nodes)
