"""Availability zones by their ids. An id names the same zone in every account; a letter may not."""

from __future__ import annotations

from collections.abc import Mapping

WITHOUT_CONTROL_PLANE: Mapping[str, str] = {
    "us-east-1": "use1-az3",
    "us-west-1": "usw1-az2",
    "ca-central-1": "cac1-az3",
}
"""Regions with a zone in which EKS makes no control plane, so that EKS refuses a cluster with a subnet there (EKS user
guide, network requirements, subnets; eksctl-io/eksctl pkg/az/az.go leaves the same three out; read 2026-11-21)."""

_SHORT = {
    **{word: word[0] for word in ("central", "east", "gov", "north", "south", "west")},
    **{
        f"{latitude}{longitude}": latitude[0] + longitude[0]
        for latitude in ("north", "south")
        for longitude in ("east", "west")
    },
}


def zone_id_prefix(region: str) -> str | None:
    """The prefix of a region's zone ids: ``use1-az`` for us-east-1, ``apne2-az`` for ap-northeast-2.

    None for a region whose name has other words, such as the isolated regions, for which no public list was found. The
    rule was checked against the 27 regions of getmoto/moto (moto/ec2/models/availability_zones_and_regions.py).
    """
    country, *words = region.split("-")
    number = words.pop() if words else ""
    if not words or any(word not in _SHORT for word in words):
        return None
    return f"{country}{''.join(_SHORT[word] for word in words)}{number}-az"
