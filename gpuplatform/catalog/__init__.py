"""Facts, and nothing but facts: the lowest floor. Every other floor may import it, and it imports no other.

Cards, instance types, prices and MIG geometry are CSV files beside this package, each row with its public source,
read once and typed. Nothing here knows about settings, Kubernetes or Pulumi, and nothing here reaches a network.
"""

from __future__ import annotations

from gpuplatform.catalog.cards import Card, card, cards
from gpuplatform.catalog.instance_types import InstanceType, instance_type, instance_types, types_named, types_with_card
from gpuplatform.catalog.mig import (
    MigGeometry,
    MigProfile,
    ProfileName,
    card_of_device,
    geometries,
    geometry,
    parse_profile,
    unplaced,
)
from gpuplatform.catalog.prices import (
    Availability,
    NotOffered,
    Price,
    not_offered_rows,
    offer,
    offer_of,
    price,
    price_rows,
    regions,
    unknown_pairs,
)

__all__ = [
    "Availability",
    "Card",
    "InstanceType",
    "MigGeometry",
    "MigProfile",
    "NotOffered",
    "Price",
    "ProfileName",
    "card",
    "card_of_device",
    "cards",
    "geometries",
    "geometry",
    "instance_type",
    "instance_types",
    "not_offered_rows",
    "offer",
    "offer_of",
    "parse_profile",
    "price",
    "price_rows",
    "regions",
    "types_named",
    "types_with_card",
    "unknown_pairs",
    "unplaced",
]
