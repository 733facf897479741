"""A ceiling counts whole nodes."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplatform.accept import examine
from gpuplatform.plan.division import cards_of_whole_nodes
from gpuplatform.plan.node_pools import plan
from gpuplatform.render.stack import render
from gpuplatform.settings.source import Plain
from tests.builders import a_card, a_market, a_pool, settings_object, some_settings


@pytest.mark.parametrize(
    ("ceiling", "sizes", "reached"),
    [(15, {8}, 8), (16, {8}, 16), (15, {1, 8}, 15), (7, {8}, 0), (11, {4, 8}, 8), (13, {4, 1}, 13), (0, {1}, 0)],
)
def test_cards_are_those_of_whole_nodes(ceiling: int, sizes: set[int], reached: int) -> None:
    assert cards_of_whole_nodes(ceiling, frozenset(sizes)) == reached


@given(ceiling=st.integers(0, 60), sizes=st.frozensets(st.sampled_from([1, 2, 3, 4, 5, 6, 8]), min_size=1, max_size=3))
def test_no_number_of_nodes_makes_more_and_some_number_makes_as_many(ceiling: int, sizes: frozenset[int]) -> None:
    counts = [range(ceiling // size + 1) for size in sorted(sizes)]
    sums = {sum(count * size for count, size in zip(chosen, sorted(sizes), strict=True)) for chosen in product(*counts)}
    assert cards_of_whole_nodes(ceiling, sizes) == max(total for total in sums if total <= ceiling)


@given(ceiling=st.integers(1_000, 1_000_000), sizes=st.frozensets(st.sampled_from([2, 4, 6, 8, 16]), min_size=1))
def test_under_a_high_ceiling_less_than_the_sizes_divisor_is_lost(ceiling: int, sizes: frozenset[int]) -> None:
    divisor = max(step for step in (2, 4, 6, 8, 16) if all(size % step == 0 for size in sizes))
    assert cards_of_whole_nodes(ceiling, sizes) == ceiling // divisor * divisor


def _pool(ceiling_cards: int) -> dict[str, Plain]:
    return a_pool(cards=[a_card("A100-80GB", ["p4de.24xlarge"], [a_market(ceiling_cards=ceiling_cards)])])


def test_bill_limit_and_quotas_count_eight_of_fifteen_cards_and_check_says_so() -> None:
    raw = settings_object(pools=[_pool(15)])
    (fault,) = examine(raw).faults
    assert (fault.path, fault.given) == ("pools[serve].cards[A100-80GB].markets[on-demand].ceiling_cards", "15")
    assert fault.allowed == "a sum of whole nodes of 8 cards: only 8 cards can be bought and are counted"
    assert fault.change == "write 8, or 16 for one more node"
    settings = some_settings(pools=[_pool(15)])
    (planned,) = plan(settings.pools, settings.network.zones)
    assert planned.ceiling_cards == 8
    (documents,) = render(settings).node_pools
    assert documents.node_pool["spec"]["limits"] == {"nvidia.com/gpu": "8"}  # pyright: ignore[reportIndexIssue]
