"""Facts about cards, instance types, prices and MIG geometry: the lowest floor, which imports no other.

The facts are CSV files of this package, each row with its public source, read once and typed. The package knows
neither settings nor Pulumi, and it reaches no network.
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
