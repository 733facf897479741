from __future__ import annotations

import re

import pytest

from gpuplatform.catalog.cards import card, cards
from gpuplatform.catalog.mig import geometries, unplaced

GPU_MEMORY_MIB = {
    "V100-32GB": ("v100", 32768),
    "T4-16GB": ("t4", 16384),
    "T4G-16GB": ("t4g", 16384),
    "A10G-24GB": ("a10g", 22888),
    "L4-24GB": ("l4", 22888),
    "L40S-48GB": ("l40s", 45776),
    "A100-40GB": ("a100", 40960),
    "A100-80GB": ("a100", 81920),
    "H100-80GB": ("h100", 81920),
    "H200-141GB": ("h200", 144384),
    "B200-180GB": ("b200", 183359),
    "B300-269GB": ("b300", 275040),
    "RTX-PRO-4500-32GB": ("rtx-pro-4500", 32768),
    "RTX-PRO-6000-96GB": ("rtx-pro-server-6000", 98304),
}
"""What EC2 reports of each card: its name in lower case and its memory, as Karpenter's labels write them."""

LABEL_VALUE = re.compile(r"[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?")


def test_the_catalog_has_exactly_the_cards_that_ec2_reports() -> None:
    assert {row.name: (row.karpenter_gpu_name, row.karpenter_gpu_memory_mib) for row in cards().values()} == (
        GPU_MEMORY_MIB
    )


@pytest.mark.parametrize("name", GPU_MEMORY_MIB)
def test_memory_as_sold_is_what_ec2_reports_in_one_unit_or_the_other(name: str) -> None:
    known_card = card(name)
    assert known_card is not None
    _, reported_mib = GPU_MEMORY_MIB[name]
    in_gib = reported_mib / 1024
    in_gb = reported_mib * 1024**2 / 1000**3
    assert min(abs(known_card.memory_gb - in_gib), abs(known_card.memory_gb - in_gb)) < 1


def test_two_memory_sizes_of_a_model_are_two_cards_that_share_its_name() -> None:
    assert [known_card.name for known_card in cards().values() if known_card.model == "A100"] == [
        "A100-40GB",
        "A100-80GB",
    ]


def test_no_two_cards_share_both_model_and_memory() -> None:
    pairs = [(known_card.model, known_card.memory_gb) for known_card in cards().values()]
    assert len(pairs) == len(set(pairs))


@pytest.mark.parametrize("name", GPU_MEMORY_MIB)
def test_every_model_can_be_a_label_value_and_begins_the_cards_name(name: str) -> None:
    known_card = cards()[name]
    assert LABEL_VALUE.fullmatch(known_card.model)
    assert known_card.name.startswith(f"{known_card.model}-")


def test_a_cards_mig_table_is_a_table_that_exists() -> None:
    assert {known_card.mig_table for known_card in cards().values() if known_card.mig_table} <= set(geometries())


def test_every_card_with_a_mig_table_of_its_name_points_to_it() -> None:
    assert {known_card.name for known_card in cards().values() if known_card.mig_table} == set(cards()) & set(
        geometries()
    )


def test_a_card_whose_placements_nobody_published_has_no_mig_table_and_says_why() -> None:
    known_card = cards()["RTX-PRO-4500-32GB"]
    assert known_card.name in unplaced()
    assert known_card.mig_table is None
    assert "placements are not published" in known_card.source


@pytest.mark.parametrize("name", GPU_MEMORY_MIB)
def test_a_minimum_driver_has_a_source_and_its_absence_a_reason(name: str) -> None:
    known_card = cards()[name]
    stated = known_card.source.partition("minimum driver: ")[2]
    if known_card.minimum_driver is None:
        assert stated.startswith("none, because")
    else:
        assert re.fullmatch(r"\d{3}(\.\d+)*", known_card.minimum_driver)
        assert stated
        assert not stated.startswith("none")


def test_only_volta_is_legacy() -> None:
    assert [known_card.name for known_card in cards().values() if known_card.legacy] == ["V100-32GB"]


def test_three_cards_to_the_letter() -> None:
    a100, b300, pro = cards()["A100-40GB"], cards()["B300-269GB"], cards()["RTX-PRO-6000-96GB"]
    assert (a100.model, a100.memory_gb, a100.mig_table, a100.minimum_driver) == ("A100", 40, "A100-40GB", "450.80.02")
    assert (b300.model, b300.memory_gb, b300.mig_table, b300.minimum_driver) == ("B300", 288, "B300-269GB", "580.82.07")
    assert (pro.model, pro.karpenter_gpu_name, pro.minimum_driver) == (
        "RTX-PRO-6000",
        "rtx-pro-server-6000",
        "575.51.03",
    )


def test_a_card_nobody_knows_is_none() -> None:
    assert card("A100") is None
