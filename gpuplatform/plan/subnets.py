"""The arithmetic of a new VPC: which addresses each subnet gets.

The VPC is cut into eight equal blocks. Blocks 0 to 3 are private, one for each zone; the public subnets share block 7.
The other blocks stay free, so that a fourth zone never moves the others.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass

BLOCKS_BITS = 3
PUBLIC_BLOCK = 7
MAX_ZONES = 4
_POD_BITS = 2


@dataclass(frozen=True, slots=True)
class ZoneSubnets:
    """The subnets of one zone."""

    zone: str
    private: str
    public: str
    pods: str | None
    """The subnet for pods in the secondary network; None without such a network."""


def subnets(cidr: str, zones: Sequence[str], pod_cidr: str | None = None) -> tuple[ZoneSubnets, ...]:
    """Non-overlapping subnets inside the VPC, a set for each zone; a zone's addresses do not depend on later zones."""
    blocks = list(ipaddress.IPv4Network(cidr).subnets(prefixlen_diff=BLOCKS_BITS))
    public = list(blocks[PUBLIC_BLOCK].subnets(prefixlen_diff=2))
    pods = list(ipaddress.IPv4Network(pod_cidr).subnets(prefixlen_diff=_POD_BITS)) if pod_cidr else None
    return tuple(
        ZoneSubnets(zone, str(blocks[index]), str(public[index]), str(pods[index]) if pods else None)
        for index, zone in enumerate(zones[:MAX_ZONES])
    )
