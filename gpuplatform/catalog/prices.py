"""On-demand prices by region, and whether a region has a type at all.

``data/prices.csv`` has Linux list prices with shared tenancy, each with its public source and the day of the data.
``data/not_offered.csv`` lists type and region where a dated public source states that the region lacks the type. A
pair that is in neither file is unknown: a missing price does not prove that the region lacks the type.
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
    """The on-demand price of one node for one hour."""

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


class Availability(enum.StrEnum):
    """Whether a region offers a type, as far as public sources say."""

    OFFERED = "offered"
    NOT_OFFERED = "not offered"
    UNKNOWN = "unknown"


@functools.cache
def price_rows() -> tuple[Price, ...]:
    """Every price, ordered by instance type and region."""
    return table("prices.csv", _price)


@functools.cache
def not_offered_rows() -> tuple[NotOffered, ...]:
    """Every pair of type and region that a public source rules out."""
    return table("not_offered.csv", _not_offered)


def price(instance_type: str, region: str) -> Price | None:
    """The on-demand price of one type in one region, or None where no public price was found."""
    return _by_pair().get((instance_type, region))


def offer(instance_type: str, region: str) -> Availability:
    """Whether the region has the type, as far as public sources say; unknown for a type or region without data."""
    return _offer(instance_type, region, _by_pair(), _ruled_out())


def offer_of(
    instance_type: str, region: str, prices: Iterable[Price], exclusions: Iterable[NotOffered]
) -> Availability:
    """Like ``offer``, but computed from these rows; a price outweighs a statement that the region lacks the type."""
    return _offer(
        instance_type,
        region,
        {(row.instance_type, row.region) for row in prices},
        {(row.instance_type, row.region) for row in exclusions},
    )


@functools.cache
def regions() -> tuple[str, ...]:
    """The regions that have prices, in the order of the data."""
    return tuple(dict.fromkeys(price_row.region for price_row in price_rows()))


def unknown_pairs() -> int:
    """How many pairs of a known type and a region with prices are neither offered nor ruled out."""
    pairs = ((name, region) for name in instance_types() for region in regions())
    return sum(offer(name, region) is Availability.UNKNOWN for name, region in pairs)


def _offer(
    instance_type: str, region: str, price_pairs: Container[tuple[str, str]], absent_pairs: Container[tuple[str, str]]
) -> Availability:
    if (instance_type, region) in price_pairs:
        return Availability.OFFERED
    if (instance_type, region) in absent_pairs:
        return Availability.NOT_OFFERED
    return Availability.UNKNOWN


@functools.cache
def _by_pair() -> Mapping[tuple[str, str], Price]:
    return MappingProxyType({(price_row.instance_type, price_row.region): price_row for price_row in price_rows()})


@functools.cache
def _ruled_out() -> frozenset[tuple[str, str]]:
    return frozenset((not_offered_row.instance_type, not_offered_row.region) for not_offered_row in not_offered_rows())


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
