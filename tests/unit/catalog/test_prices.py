from __future__ import annotations

import datetime
import math

import pytest

from gpuplatform.catalog.instance_types import instance_types
from gpuplatform.catalog.prices import (
    NotOffered,
    Offer,
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
    for each in price_rows():
        assert each.instance_type in instance_types()
        assert math.isfinite(each.usd_per_hour)
        assert each.usd_per_hour > 0
        assert datetime.date(2025, 1, 1) <= each.as_of <= datetime.date(2026, 12, 31)
        assert each.source.split(" ")[0] in {
            "aws/karpenter-provider-aws",
            "cristim/ec2-instances-info",
            "skypilot-org/skypilot-catalog",
        }


def test_no_pair_of_type_and_region_has_two_prices() -> None:
    pairs = [(each.instance_type, each.region) for each in price_rows()]
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
    found = [price("g5.xlarge", "eu-west-1"), price("p4d.24xlarge", "us-east-1"), price("inf2.xlarge", "us-east-1")]
    assert [(each.usd_per_hour, each.as_of.isoformat()) for each in found if each] == [
        (1.123, "2025-04-24"),
        (21.957642, "2026-07-06"),
        (0.7582, "2026-07-06"),
    ]


def test_inferentia_and_trainium_are_priced_in_one_region_alone() -> None:
    neuron = {name for name, each in instance_types().items() if each.neuron_devices}
    assert {each.region for each in price_rows() if each.instance_type in neuron} == {"us-east-1"}


def test_no_public_price_is_none_and_not_zero() -> None:
    assert price("p5e.48xlarge", "us-east-1") is None
    assert price("g5.xlarge", "moon-1") is None


@pytest.mark.parametrize(
    ("instance_type", "region", "expected"),
    [
        ("g6.xlarge", "us-east-1", Offer.OFFERED),
        ("g6.xlarge", "eu-west-1", Offer.NOT_OFFERED),
        ("g6.xlarge", "us-west-2", Offer.UNKNOWN),
        ("g5.xlarge", "us-east-1", Offer.UNKNOWN),
        ("g5.xlarge", "eu-west-1", Offer.UNKNOWN),
    ],
)
def test_a_pair_is_offered_by_a_price_ruled_out_by_a_statement_and_else_unknown(
    instance_type: str, region: str, expected: Offer
) -> None:
    assert offer_of(instance_type, region, [A_PRICE], [A_REFUSAL]) is expected


def test_a_price_outweighs_a_statement_that_there_is_none() -> None:
    contradiction = NotOffered(A_PRICE.instance_type, A_PRICE.region, DAY, "an older announcement")
    assert offer_of(A_PRICE.instance_type, A_PRICE.region, [A_PRICE], [contradiction]) is Offer.OFFERED


def test_the_catalogue_answers_from_its_own_rows() -> None:
    assert offer("g5.xlarge", "eu-west-1") is Offer.OFFERED
    assert offer("p5e.48xlarge", "us-east-1") is Offer.UNKNOWN


def test_a_planted_statement_refuses_a_pair_of_the_catalogue(monkeypatch: pytest.MonkeyPatch) -> None:
    planted = NotOffered("p5e.48xlarge", "us-east-1", DAY, "planted")
    before = unknown_pairs()
    monkeypatch.setattr(
        "gpuplatform.catalog.prices._ruled_out", lambda: frozenset({(planted.instance_type, planted.region)})
    )
    assert offer("p5e.48xlarge", "us-east-1") is Offer.NOT_OFFERED
    assert unknown_pairs() == before - 1


def test_every_statement_of_absence_is_of_a_known_type_and_contradicts_no_price() -> None:
    priced = {(each.instance_type, each.region) for each in price_rows()}
    for each in not_offered_rows():
        assert each.instance_type in instance_types()
        assert (each.instance_type, each.region) not in priced


def test_unknown_pairs_are_what_neither_table_speaks_of() -> None:
    spoken_of = len(price_rows()) + len(not_offered_rows())
    assert unknown_pairs() == len(instance_types()) * len(regions()) - spoken_of
