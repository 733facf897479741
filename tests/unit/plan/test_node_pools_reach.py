from hypothesis import given
from hypothesis import strategies as st

from gpuplatform.accept import examine
from gpuplatform.plan.node_pools import nodepools_of, plan, reached
from gpuplatform.settings.pools import Pool
from gpuplatform.settings.source import Plain
from tests.builders import ZONES, a_card, a_market, a_pool, a_shared_pool, a_slice_pool, a_static_pool, settings_object

CARDS = {"L4-24GB": "g6.xlarge", "T4-16GB": "g4dn.xlarge", "A100-80GB": "p4de.24xlarge", "H100-80GB": "p5.4xlarge"}


@st.composite
def any_pool(draw: st.DrawFn, name: str) -> dict[str, Plain]:
    chosen = draw(st.lists(st.sampled_from(sorted(CARDS)), min_size=1, max_size=3, unique=True))
    markets = draw(st.lists(st.sampled_from(["spot", "on-demand"]), min_size=1, max_size=2, unique=True))
    taints: list[Plain] = [{"key": "node-cards", "value": value} for value in draw(st.sampled_from(["", "a", "b"]))]
    return a_pool(
        name=name,
        purpose=draw(st.sampled_from(["infer", "train"])),
        cards=[a_card(card, [CARDS[card]], [a_market(market) for market in markets]) for card in chosen],
        taints=taints,
    )


def pool(raw: dict[str, Plain]) -> Pool:
    return Pool.model_validate(raw)


@given(any_pool("one"))
def test_a_pools_block_reaches_every_nodepool_of_its_own(raw: dict[str, Plain]) -> None:
    elastic_pool = pool(raw)
    assert reached(elastic_pool, nodepools_of(elastic_pool, ZONES)) == nodepools_of(elastic_pool, ZONES)


@given(any_pool("one"), any_pool("two"))
def test_pools_are_refused_exactly_when_a_block_of_either_reaches_the_other(
    first: dict[str, Plain], second: dict[str, Plain]
) -> None:
    pool_a, pool_b = pool(first), pool(second)
    crossing = [
        (of.name, node_pool.name)
        for of, other in ((pool_a, pool_b), (pool_b, pool_a))
        for node_pool in reached(of, nodepools_of(other, ZONES))
    ]
    orders: list[list[Plain]] = [[first, second], [second, first]]
    for pools in orders:
        loaded = examine(settings_object(pools=pools))
        refused = [(fault.path, name) for fault in loaded.faults for _, name in crossing if f" {name} " in fault.given]
        assert sorted(refused) == sorted((f"pools[{of}]", name) for of, name in crossing)
        assert (loaded.settings is None) == bool(crossing)


def test_the_pools_of_a_platform_reach_only_themselves() -> None:
    pools = [pool(make()) for make in (a_pool, a_static_pool, a_slice_pool, a_shared_pool)]
    planned = plan(tuple(pools), ZONES)
    for stack_pool in pools:
        assert {node_pool.pool.name for node_pool in reached(stack_pool, planned)} == {stack_pool.name}


def test_a_whole_card_pod_does_not_fit_a_sliced_node_and_a_slice_not_a_whole_one() -> None:
    whole, sliced = pool(a_slice_pool(name="whole") | {"sharing": "exclusive"}), pool(a_slice_pool())
    assert reached(whole, nodepools_of(sliced, ZONES)) == ()
    assert reached(sliced, nodepools_of(whole, ZONES)) == ()


def test_a_taint_on_the_wider_pool_parts_it_from_the_narrower_one_in_one_direction_only() -> None:
    wide = a_pool(name="wide", cards=[a_card(), a_card("T4-16GB", ["g4dn.xlarge"])])
    narrow = a_pool(name="narrow", taints=[{"key": "protected", "value": "yes"}])
    assert reached(pool(wide), nodepools_of(pool(narrow), ZONES)) == ()
    assert [node_pool.name for node_pool in reached(pool(narrow), nodepools_of(pool(wide), ZONES))] == [
        "wide-l4-24gb-on-demand"
    ]
