"""Amounts are divided in proportion, and in whole nodes as far as possible."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gpuplatform.plan.division import Destination, apportion, in_whole_nodes

PLACES = st.lists(st.tuples(st.integers(0, 64), st.sampled_from((1, 2, 4, 8))), min_size=1, max_size=6).map(
    lambda sizes: [Destination(f"p{index}", free, node) for index, (free, node) in enumerate(sizes)]
)


@given(st.integers(0, 500), st.dictionaries(st.text(min_size=1), st.integers(0, 99), min_size=1))
def test_parts_sum_to_the_whole_and_none_exceeds_its_weight(amount: int, weights: dict[str, int]) -> None:
    parts = apportion(amount, weights)
    total = sum(weights.values())
    assert sum(parts.values()) == (amount if total else 0)
    if amount <= total:
        assert all(part <= weights[name] for name, part in parts.items())


@given(st.integers(0, 200), PLACES)
def test_parts_are_whole_nodes_within_what_is_free(amount: int, places: list[Destination]) -> None:
    parts = in_whole_nodes(amount, places)
    assert sum(parts.values()) <= amount
    for place in places:
        assert parts[place.name] <= place.free
        assert parts[place.name] % place.node == 0


@given(st.integers(0, 200), PLACES)
def test_what_is_left_is_less_than_any_node_that_is_free(amount: int, places: list[Destination]) -> None:
    parts = in_whole_nodes(amount, places)
    left = amount - sum(parts.values())
    assert all(left < place.node for place in places if parts[place.name] + place.node <= place.free)


def test_one_large_node_is_not_cut_among_small_ones() -> None:
    places = [
        Destination("chief", 2, 1),
        Destination("single", 16, 1),
        Destination("train", 48, 8),
        Destination("efa", 32, 8),
    ]
    assert in_whole_nodes(8, places) == {"chief": 0, "single": 0, "train": 8, "efa": 0}
    assert in_whole_nodes(72, places) == {"chief": 2, "single": 14, "train": 32, "efa": 24}


def test_less_than_half_a_large_node_goes_to_small_ones() -> None:
    assert in_whole_nodes(3, [Destination("single", 16, 1), Destination("train", 48, 8)]) == {"single": 3, "train": 0}
