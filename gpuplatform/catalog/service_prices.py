"""Prices of AWS services other than instances: control plane, NAT, endpoints, volumes."""

from __future__ import annotations

import datetime
import enum
import functools
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from gpuplatform.catalog._csv import cited, flag, table

HOURS_PER_MONTH = 730
"""AWS's own month (365 days × 24 hours ÷ 12)."""


class PricedService(enum.StrEnum):
    """An AWS service, or a part of one, with its own price."""

    CONTROL_PLANE = "eks-control-plane"
    NAT_GATEWAY = "nat-gateway"
    INTERFACE_ENDPOINT_ZONE = "interface-endpoint-zone"
    GP3_GIB = "gp3-gib"
    GP3_MIB_S_ABOVE_125 = "gp3-mib-s-above-125"
    GP3_IOPS_ABOVE_3000 = "gp3-iops-above-3000"


@dataclass(frozen=True, slots=True)
class ServicePrice:
    """The price of one unit for one hour, in us-east-1 and without traffic."""

    service: PricedService
    usd_per_hour: float
    as_of: datetime.date
    verified: bool
    """Whether a dated public source was read."""
    source: str


@functools.cache
def service_prices() -> Mapping[PricedService, ServicePrice]:
    """Every price."""
    return MappingProxyType({row.service: row for row in table("service_prices.csv", _price)})


def usd_per_hour(service: PricedService) -> float:
    """The price of one unit of the service for one hour."""
    return service_prices()[service].usd_per_hour


def gp3_usd_per_hour(size_gib: int, iops: int = 3000, throughput_mib_s: int = 125) -> float:
    """A gp3 volume for one hour; 3,000 IOPS and 125 MiB/s are included."""
    return (
        size_gib * usd_per_hour(PricedService.GP3_GIB)
        + max(0, iops - 3000) * usd_per_hour(PricedService.GP3_IOPS_ABOVE_3000)
        + max(0, throughput_mib_s - 125) * usd_per_hour(PricedService.GP3_MIB_S_ABOVE_125)
    )


def _price(row: Mapping[str, str]) -> ServicePrice:
    hours = {"hour": 1, "month": HOURS_PER_MONTH}[row["unit"]]
    return ServicePrice(
        service=PricedService(row["service"]),
        usd_per_hour=float(row["usd"]) / hours,
        as_of=datetime.date.fromisoformat(row["as_of"]),
        verified=flag(row["verified"]),
        source=cited(row["source"]),
    )
