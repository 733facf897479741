"""On-demand prices by region, and whether a region has a type at all.

``data/prices.csv`` has Linux list prices with shared tenancy, each with its public source and the day of the data.
``data/not_offered.csv`` has the pairs of which a dated public source says that the region lacks the type. A pair in
neither is unknown: no price found is no proof that there is none to pay.
"""

from __future__ import annotations

import datetime
import enum
import functools
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from gpuplatform.catalog._csv import cited, table
from gpuplatform.catalog.instance_types import instance_types


@dataclass(frozen=True, slots=True)
class Price:
    """What one node costs for one hour, on demand."""

    instance_type: str
    region: str
    usd_per_hour: float
    as_of: datetime.date
    """The day of the data, not the day it was copied."""
    source: str


@dataclass(frozen=True, slots=True)
class NotOffered:
    """A dated statement that a region lacks a type."""

    instance_type: str
    region: str
    as_of: datetime.date
    source: str


class Offer(enum.StrEnum):
    """What is known about one type in one region."""

    OFFERED = "offered"
    NOT_OFFERED = "not offered"
    UNKNOWN = "unknown"


@functools.cache
def price_rows() -> tuple[Price, ...]:
    """Every price, ordered by instance type and region."""
    return table("prices.csv", _price)


@functools.cache
def not_offered_rows() -> tuple[NotOffered, ...]:
    """Every pair that a public source rules out."""
    return table("not_offered.csv", _not_offered)


def price(instance_type: str, region: str) -> Price | None:
    """The on-demand price of one type in one region, or none where no public price was found."""
    return _by_pair().get((instance_type, region))


def offer(instance_type: str, region: str) -> Offer:
    """Whether the region has the type, as far as public sources say; unknown for a type or region nobody knows."""
    return _offer(instance_type, region, _by_pair(), _ruled_out())


def offer_of(instance_type: str, region: str, priced: Iterable[Price], missing: Iterable[NotOffered]) -> Offer:
    """The same, judged from the given rows; a price outweighs a statement that there is none."""
    return _offer(
        instance_type,
        region,
        {(each.instance_type, each.region) for each in priced},
        {(each.instance_type, each.region) for each in missing},
    )


@functools.cache
def regions() -> tuple[str, ...]:
    """The regions that have prices, in the order of the data."""
    return tuple(dict.fromkeys(each.region for each in price_rows()))


def unknown_pairs() -> int:
    """How many pairs of a known type and a region with prices are neither offered nor ruled out."""
    pairs = ((name, region) for name in instance_types() for region in regions())
    return sum(offer(name, region) is Offer.UNKNOWN for name, region in pairs)


def _offer(
    instance_type: str, region: str, priced: Container[tuple[str, str]], missing: Container[tuple[str, str]]
) -> Offer:
    if (instance_type, region) in priced:
        return Offer.OFFERED
    if (instance_type, region) in missing:
        return Offer.NOT_OFFERED
    return Offer.UNKNOWN


@functools.cache
def _by_pair() -> Mapping[tuple[str, str], Price]:
    return MappingProxyType({(each.instance_type, each.region): each for each in price_rows()})


@functools.cache
def _ruled_out() -> frozenset[tuple[str, str]]:
    return frozenset((each.instance_type, each.region) for each in not_offered_rows())


def _price(row: Mapping[str, str]) -> Price:
    return Price(
        instance_type=row["instance_type"],
        region=row["region"],
        usd_per_hour=float(row["usd_per_hour"]),
        as_of=datetime.date.fromisoformat(row["as_of"]),
        source=cited(row["source"]),
    )


def _not_offered(row: Mapping[str, str]) -> NotOffered:
    return NotOffered(
        instance_type=row["instance_type"],
        region=row["region"],
        as_of=datetime.date.fromisoformat(row["as_of"]),
        source=cited(row["source"]),
    )
