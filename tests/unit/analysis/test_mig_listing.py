"""Every layout of every card, against a brute force that shares nothing with the prover but the table."""

import csv
import itertools
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import gpuplatform
from gpuplatform.analysis.mig import largest_uniform, legal_layouts, maximal_layouts, prove
from gpuplatform.analysis.mig.listing import reaches
from gpuplatform.catalog.mig import geometries

TABLE = Path(gpuplatform.__file__).parent / "catalog" / "data" / "mig_profiles.csv"
Row = dict[str, str]
Multiset = frozenset[tuple[str, int]]


def table() -> dict[str, list[Row]]:
    by_card: dict[str, list[Row]] = {}
    with TABLE.open(encoding="utf-8") as text:
        for row in csv.DictReader(text):
            if row["placements"]:
                by_card.setdefault(row["card"], []).append(row)
    return by_card


def sets_of_placements(rows: list[Row]) -> Iterator[list[tuple[Row, int]]]:
    """Every set of placements of which no two start at one place; two that do overlap always."""
    starts = sorted({int(start) for row in rows for start in row["placements"].split()})
    choices: list[list[tuple[Row, int] | None]] = [
        [None, *((row, start) for row in rows if str(start) in row["placements"].split())] for start in starts
    ]
    for chosen in itertools.product(*choices):
        yield [placement for placement in chosen if placement is not None]


def allowed(placements: list[tuple[Row, int]]) -> bool:
    end = 0
    for row, start in placements:  # by rising start
        if start < end:
            return False
        end = start + int(row["memory_slices"])
    if sum(int(row["compute_slices"]) for row, _ in placements) > int(placements[0][0]["card_compute_slices"]):
        return False
    attributes = [row["attribute"] for row, _ in placements]
    if attributes.count("+me") + attributes.count("+me.all") > 1:
        return False
    return "+me.all" not in attributes or attributes.count("-me") == len(attributes) - 1


def brute_force(rows: list[Row]) -> set[Multiset]:
    return {
        frozenset(Counter(row["profile"] for row, _ in placements).items())
        for placements in sets_of_placements(rows)
        if placements and allowed(placements)
    }


@pytest.mark.parametrize("card", table())
def test_the_enumeration_of_a_card_equals_an_independent_brute_force(card: str) -> None:
    enumerated = [frozenset(layout.counts) for layout in legal_layouts(geometries()[card])]
    assert len(enumerated) == len(set(enumerated)), "each layout once"
    assert set(enumerated) == brute_force(table()[card])


@pytest.mark.parametrize("card", table())
def test_maximal_layouts_are_those_that_no_other_legal_layout_contains(card: str) -> None:
    everything = [Counter(dict(layout)) for layout in brute_force(table()[card])]
    expected = {frozenset(layout.items()) for layout in everything if not any(layout < other for other in everything)}
    assert {frozenset(layout.counts) for layout in maximal_layouts(geometries()[card])} == expected


@pytest.mark.parametrize("card", table())
def test_the_most_of_one_profile_alone_is_what_the_table_says(card: str) -> None:
    for row in table()[card]:
        assert largest_uniform(geometries()[card], row["profile"]) == int(row["max_instances"]), row["profile"]


@pytest.mark.slow
@pytest.mark.parametrize("card", table())
def test_stranded_slices_are_those_that_the_best_layout_around_it_leaves_unused(card: str) -> None:
    geometry = geometries()[card]
    used = {
        layout: (
            sum(int(row["compute_slices"]) * dict(layout).get(row["profile"], 0) for row in table()[card]),
            sum(int(row["memory_slices"]) * dict(layout).get(row["profile"], 0) for row in table()[card]),
        )
        for layout in brute_force(table()[card])
    }
    for layout in used:
        around = [slices for other, slices in used.items() if Counter(dict(layout)) <= Counter(dict(other))]
        proof = prove(geometry, dict(layout))
        assert proof.stranded_compute == geometry.compute_slices - max(compute for compute, _ in around)
        assert proof.stranded_memory == geometry.memory_slices - max(memory for _, memory in around)


def test_a_seven_slice_card_without_attributes_has_77_layouts_of_which_28_are_maximal() -> None:
    seven = [card for card in geometries().values() if card.compute_slices == 7]
    assert len(seven) == 11
    for card in seven:
        plain = card.without_attributes()
        assert (len(legal_layouts(plain)), len(maximal_layouts(plain))) == (77, 28), card.card


@pytest.mark.parametrize("card", ["A30-24GB", "RTX-PRO-6000-96GB"])
def test_a_four_slice_card_without_attributes_has_9_layouts_of_which_4_are_maximal(card: str) -> None:
    plain = geometries()[card].without_attributes()
    assert (len(legal_layouts(plain)), len(maximal_layouts(plain))) == (9, 4)


def test_every_legal_layout_of_every_card_is_proven_in_under_a_second() -> None:
    for kept in (reaches, maximal_layouts):
        kept.cache_clear()
    begun = time.process_time()
    proven = [prove(card, layout.as_dict()).legal for card in geometries().values() for layout in legal_layouts(card)]
    assert time.process_time() - begun < 1
    assert all(proven)
    assert len(proven) > 1500
