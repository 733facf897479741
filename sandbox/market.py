"""What EC2 sells in a stack's region, as the sandbox's Karpenter reads it: from the platform's own catalogue."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass

from gpuplatform.catalog.cards import card
from gpuplatform.catalog.instance_types import InstanceType, instance_type, instance_types
from gpuplatform.catalog.mig import geometry
from gpuplatform.settings.prices import Prices
from gpuplatform.settings.settings import Settings
from gpuplatform.standard import keys
from gpuplatform.standard.markets import Market
from sandbox.machines import allocatable_of, capacity_of

_FAMILY = re.compile(r"^(?P<category>[a-z]+?)(?P<generation>\d+)")


@dataclass(frozen=True, slots=True)
class Reservation:
    """Capacity that is paid for, used or not."""

    id: str
    instance_type: str
    zone: str
    nodes: int


@dataclass(frozen=True, slots=True)
class Ec2:
    """EC2 in one region, with what a stack says about prices and its own reservations."""

    region: str
    zones: tuple[str, ...]
    prices: Prices
    reservations: tuple[Reservation, ...] = ()

    def usd_per_hour(self, name: str, market: Market) -> float:
        """What an hour of a node costs; LookupError for a type without a price, of which the sandbox has no node."""
        price = self.prices.usd_per_hour(name, market)
        if price is None:
            raise LookupError(f"{name} has no price in {self.region}")
        return price

    def catalogue(self) -> str:
        """The JSON that the sandbox's Karpenter reads."""
        return json.dumps(
            {
                "region": self.region,
                "zones": list(self.zones),
                "types": [self._type(each) for each in instance_types().values()],
                "reservations": [
                    {"id": each.id, "instanceType": each.instance_type, "zone": each.zone, "count": each.nodes}
                    for each in self.reservations
                ],
            },
            indent=1,
        )

    def _type(self, each: InstanceType) -> dict[str, object]:
        priced = {market: self.prices.usd_per_hour(each.name, market) for market in (Market.SPOT, Market.ON_DEMAND)}
        table = _mig_table(each)
        return {
            "name": each.name,
            "architecture": each.architecture,
            "labels": labels_of(each),
            "capacity": capacity_of(each),
            "allocatable": allocatable_of(each),
            "cards": each.cards,
            "mig": table is not None,
            "devices": list(table or ()),
            "usdPerHour": {market.value: price for market, price in priced.items() if price is not None},
        }


def ec2_of(settings: Settings) -> Ec2:
    """EC2 as a stack sees it. A reservation's zone is not in the settings: the stack's first is taken."""
    zones = tuple(settings.network.zones)
    return Ec2(settings.region, zones, Prices(settings.region, settings.cost), tuple(_reservations(settings, zones[0])))


def labels_of(each: InstanceType) -> dict[str, str]:
    """The labels of the AWS provider that the catalogue can tell; a NodePool that requires another is refused."""
    family = _FAMILY.match(each.family)
    assert family is not None, f"{each.family} begins with letters and a number"
    found = {
        keys.INSTANCE_FAMILY: each.family,
        keys.INSTANCE_SIZE: each.name.partition(".")[2],
        keys.INSTANCE_CATEGORY: family["category"],
        keys.INSTANCE_GENERATION: family["generation"],
        keys.INSTANCE_CPU: str(each.vcpus),
        keys.INSTANCE_MEMORY: str(each.memory_mib),
        keys.INSTANCE_NETWORK_BANDWIDTH: str(each.network_mbps),
    }
    if each.nvme_gb:
        found[keys.INSTANCE_LOCAL_NVME] = str(each.nvme_gb)
    sold = card(each.card) if each.card else None
    if sold:
        found |= {
            keys.INSTANCE_GPU_NAME: sold.karpenter_gpu_name,
            keys.INSTANCE_GPU_MANUFACTURER: "nvidia",
            keys.INSTANCE_GPU_COUNT: str(each.cards),
        }
    if each.neuron_name:
        found |= {
            keys.INSTANCE_ACCELERATOR_NAME: each.neuron_name,
            keys.INSTANCE_ACCELERATOR_MANUFACTURER: "aws",
            keys.INSTANCE_ACCELERATOR_COUNT: str(each.neuron_devices),
        }
    return found


def _mig_table(each: InstanceType) -> tuple[str, ...] | None:
    """The PCI identities of a type's cards; none where they cannot be cut, or nobody has said how."""
    sold = card(each.card) if each.card else None
    table = geometry(sold.mig_table) if sold and sold.mig_table else None
    return tuple(table.device_ids) if table else None


def _reservations(settings: Settings, zone: str) -> Iterable[Reservation]:
    for pool in settings.pools:
        for choice in pool.cards:
            sold = instance_type(choice.instance_types[0])
            for market in choice.markets:
                for each in market.reservation_ids:
                    cards = market.ceiling_cards or 0
                    nodes = cards // len(market.reservation_ids) // max(1, sold.cards if sold else 1)
                    yield Reservation(each, choice.instance_types[0], zone, nodes)
