from __future__ import annotations

import datetime
import math

import pytest

from gpuplatform.catalog.instance_types import instance_types
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

DAY = datetime.date(2026, 7, 6)
A_PRICE = Price("g6.xlarge", "us-east-1", 0.8048, DAY, "a price list")
A_REFUSAL = NotOffered("g6.xlarge", "eu-west-1", DAY, "an announcement")


def test_every_price_is_of_a_known_type_positive_dated_and_sourced() -> None:
    for price_row in price_rows():
        assert price_row.instance_type in instance_types()
        assert math.isfinite(price_row.usd_per_hour)
        assert price_row.usd_per_hour > 0
        assert datetime.date(2025, 1, 1) <= price_row.as_of <= datetime.date(2026, 12, 31)
        assert price_row.source.split(" ")[0] in {
            "aws/karpenter-provider-aws",
            "cristim/ec2-instances-info",
            "skypilot-org/skypilot-catalog",
        }


def test_no_pair_of_type_and_region_has_two_prices() -> None:
    pairs = [(price_row.instance_type, price_row.region) for price_row in price_rows()]
    assert len(pairs) == len(set(pairs))


def test_there_are_eight_regions() -> None:
    assert sorted(regions()) == [
        "ap-northeast-1",
        "ap-northeast-2",
        "ap-southeast-1",
        "eu-central-1",
        "eu-west-1",
        "us-east-1",
        "us-east-2",
        "us-west-2",
    ]


def test_three_prices_to_the_letter() -> None:
    prices = [price("g5.xlarge", "eu-west-1"), price("p4d.24xlarge", "us-east-1"), price("inf2.xlarge", "us-east-1")]
    assert [(known_price.usd_per_hour, known_price.as_of.isoformat()) for known_price in prices if known_price] == [
        (1.123, "2025-04-24"),
        (21.957642, "2026-07-06"),
        (0.7582, "2026-07-06"),
    ]


def test_inferentia_and_trainium_are_priced_in_one_region_alone() -> None:
    neuron = {name for name, known_type in instance_types().items() if known_type.neuron_devices}
    assert {price_row.region for price_row in price_rows() if price_row.instance_type in neuron} == {"us-east-1"}


def test_no_public_price_is_none_and_not_zero() -> None:
    assert price("p5e.48xlarge", "us-east-1") is None
    assert price("g5.xlarge", "moon-1") is None


@pytest.mark.parametrize(
    ("instance_type", "region", "expected"),
    [
        ("g6.xlarge", "us-east-1", Availability.OFFERED),
        ("g6.xlarge", "eu-west-1", Availability.NOT_OFFERED),
        ("g6.xlarge", "us-west-2", Availability.UNKNOWN),
        ("g5.xlarge", "us-east-1", Availability.UNKNOWN),
        ("g5.xlarge", "eu-west-1", Availability.UNKNOWN),
    ],
)
def test_a_pair_is_offered_by_a_price_ruled_out_by_a_statement_and_else_unknown(
    instance_type: str, region: str, expected: Availability
) -> None:
    assert offer_of(instance_type, region, [A_PRICE], [A_REFUSAL]) is expected


def test_a_price_outweighs_a_statement_that_there_is_none() -> None:
    contradiction = NotOffered(A_PRICE.instance_type, A_PRICE.region, DAY, "an older announcement")
    assert offer_of(A_PRICE.instance_type, A_PRICE.region, [A_PRICE], [contradiction]) is Availability.OFFERED


def test_the_catalog_answers_from_its_own_rows() -> None:
    assert offer("g5.xlarge", "eu-west-1") is Availability.OFFERED
    assert offer("p5e.48xlarge", "us-east-1") is Availability.UNKNOWN


def test_a_planted_statement_refuses_a_pair_of_the_catalog(monkeypatch: pytest.MonkeyPatch) -> None:
    planted = NotOffered("p5e.48xlarge", "us-east-1", DAY, "planted")
    before = unknown_pairs()
    monkeypatch.setattr(
        "gpuplatform.catalog.prices._ruled_out", lambda: frozenset({(planted.instance_type, planted.region)})
    )
    assert offer("p5e.48xlarge", "us-east-1") is Availability.NOT_OFFERED
    assert unknown_pairs() == before - 1


def test_every_statement_of_absence_is_of_a_known_type_and_contradicts_no_price() -> None:
    priced = {(price_row.instance_type, price_row.region) for price_row in price_rows()}
    for not_offered_row in not_offered_rows():
        assert not_offered_row.instance_type in instance_types()
        assert (not_offered_row.instance_type, not_offered_row.region) not in priced


def test_unknown_pairs_are_what_neither_table_speaks_of() -> None:
    spoken_of = len(price_rows()) + len(not_offered_rows())
    assert unknown_pairs() == len(instance_types()) * len(regions()) - spoken_of
