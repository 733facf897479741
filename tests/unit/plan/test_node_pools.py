import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplatform.catalog.cards import cards
from gpuplatform.catalog.instance_types import types_with_card
from gpuplatform.catalog.mig import geometry
from gpuplatform.plan.node_pools import (
    MAX_WEIGHT,
    PlannedNodePool,
    markets_of,
    nodepools_of,
    plan,
    selection_of,
    static_zones,
    unit_resource,
)
from gpuplatform.settings.pools import Pool
from gpuplatform.settings.source import Plain
from gpuplatform.standard.markets import Market
from tests.builders import ZONES, a_card, a_market, a_pool, a_slice_pool, a_static_pool

CARDS = sorted(name for name in cards() if types_with_card(name))


def pool(raw: dict[str, Plain]) -> Pool:
    return Pool.model_validate(raw)


def planned(*raw: dict[str, Plain]) -> tuple[PlannedNodePool, ...]:
    return plan(tuple(pool(raw_pool) for raw_pool in raw), ZONES)


@st.composite
def elastic(draw: st.DrawFn, name: str) -> dict[str, Plain]:
    chosen = draw(st.lists(st.sampled_from(CARDS), min_size=1, max_size=4, unique=True))
    markets = [[a_market(market, 64) for market in draw(st.permutations(["spot", "on-demand"]))] for _ in chosen]
    return a_pool(
        name=name,
        cards=[
            a_card(card, [types_with_card(card)[0].name], some[: draw(st.integers(1, 2))])
            for card, some in zip(chosen, markets, strict=True)
        ],
    )


pools = st.integers(1, 20).flatmap(lambda count: st.tuples(*(elastic(f"pool-{number}") for number in range(count))))


@given(pools)
def test_weights_go_down_in_the_order_of_the_file_and_are_distinct_up_to_a_hundred(
    raw: tuple[dict[str, Plain], ...],
) -> None:
    weights = [node_pool.weight for node_pool in planned(*raw)]
    assert weights[:MAX_WEIGHT] == list(range(MAX_WEIGHT, MAX_WEIGHT - len(weights[:MAX_WEIGHT]), -1))
    assert all(weight == 1 for weight in weights[MAX_WEIGHT:])


@given(pools)
def test_names_are_distinct_label_values_and_labels_are_the_standards(raw: tuple[dict[str, Plain], ...]) -> None:
    node_pools = planned(*raw)
    assert len({node_pool.name for node_pool in node_pools}) == len(node_pools)
    assert all(len(node_pool.name) <= 63 for node_pool in node_pools)
    assert all(node_pool.labels["gpu.model"] == node_pool.card.model for node_pool in node_pools)


@given(elastic("one"))
def test_every_card_on_the_first_market_comes_before_any_card_on_the_second(raw: dict[str, Plain]) -> None:
    node_pools = planned(raw)
    positions = [
        (node_pool.choice.markets.index(node_pool.market), node_pool.pool.cards.index(node_pool.choice))
        for node_pool in node_pools
    ]
    assert positions == sorted(positions)
    assert len(node_pools) == sum(len(choice.markets) for choice in pool(raw).cards)


def test_the_inference_ladder_tries_every_spot_card_before_on_demand() -> None:
    both = [a_market("spot"), a_market("on-demand")]
    raw = a_pool(cards=[a_card("L4-24GB", ["g6.xlarge"], both), a_card("T4-16GB", ["g4dn.xlarge"], both)])
    assert [(node_pool.name, node_pool.weight) for node_pool in planned(raw)] == [
        ("serve-l4-24gb-spot", 100),
        ("serve-t4-16gb-spot", 99),
        ("serve-l4-24gb-on-demand", 98),
        ("serve-t4-16gb-on-demand", 97),
    ]


def test_a_static_pool_takes_no_weight_and_is_one_nodepool_a_zone() -> None:
    node_pools = planned(a_static_pool(nodes=4, zones=list(ZONES)), a_pool())
    assert [(node_pool.name, node_pool.replicas, node_pool.zones, node_pool.weight) for node_pool in node_pools] == [
        ("chief-h100-80gb-on-demand-us-east-1a", 2, ("us-east-1a",), None),
        ("chief-h100-80gb-on-demand-us-east-1b", 2, ("us-east-1b",), None),
        ("serve-l4-24gb-on-demand", None, ZONES, 100),
    ]


def test_a_static_pool_without_zones_stands_in_the_networks_first() -> None:
    assert static_zones(pool(a_static_pool()), ZONES) == ("us-east-1a",)
    assert [node_pool.zones for node_pool in planned(a_static_pool())] == [("us-east-1a",)]


def test_an_elastic_pool_keeps_to_the_zones_it_names() -> None:
    assert [node_pool.zones for node_pool in planned(a_pool(zones=["us-east-1b"]))] == [("us-east-1b",)]


def test_the_ceiling_is_in_physical_cards() -> None:
    static = a_static_pool(nodes=3, cards=[a_card("H100-80GB", ["p5.48xlarge"], [a_market(ceiling_cards=None)])])
    node_pools = planned(a_pool(), a_slice_pool(), static)
    assert [node_pool.ceiling_cards for node_pool in node_pools] == [8, 16, 24]


@pytest.mark.parametrize(
    ("sharing", "resource", "units"),
    [
        ("exclusive", "nvidia.com/gpu", 1),
        ({"mig": "1g.10gb"}, "nvidia.com/mig-1g.10gb", 7),
        ({"mig": "3g.40gb"}, "nvidia.com/mig-3g.40gb", 2),
        ({"mig": "1g.10gb+me"}, "nvidia.com/mig-1g.10gb.me", 1),
        ({"time_slicing": 4}, "nvidia.com/gpu", 4),
        ({"mps": 10}, "nvidia.com/gpu", 10),
    ],
)
def test_a_card_offers_what_its_sharing_makes_of_it(sharing: Plain, resource: str, units: int) -> None:
    (node_pool,) = planned(a_slice_pool() | {"sharing": sharing})
    assert unit_resource(node_pool.pool) == resource
    assert node_pool.units_per_card == units


# Correction 3: on a 40 GB card 1g.10gb is the double-memory profile, at most four, and 3g.40gb does not exist.
@pytest.mark.parametrize(("profile", "units"), [("1g.10gb", 4), ("1g.5gb", 7), ("3g.40gb", 0)])
def test_a_40_gb_card_has_its_own_profiles(profile: str, units: int) -> None:
    raw = a_slice_pool(cards=[a_card("A100-40GB", ["p4d.24xlarge"])], sharing={"mig": profile})
    (node_pool,) = planned(raw)
    assert node_pool.units_per_card == units


# Correction 4: a uniform layout can leave part of a card unused, and the figures say how much.
@pytest.mark.parametrize(
    ("profile", "stranded_compute", "stranded_memory"), [("3g.40gb", 1, 0), ("1g.10gb", 0, 1), ("7g.80gb", 0, 0)]
)
def test_what_a_uniform_layout_strands(profile: str, stranded_compute: int, stranded_memory: int) -> None:
    table = geometry("A100-80GB")
    assert table is not None
    mig_profile = table.profile(profile)
    assert mig_profile is not None
    (node_pool,) = planned(a_slice_pool(sharing={"mig": profile}))
    assert 7 - node_pool.units_per_card * mig_profile.compute_slices == stranded_compute
    assert 8 - node_pool.units_per_card * mig_profile.memory_slices == stranded_memory


def test_labels_of_a_slice_pool_name_the_profile_and_of_a_whole_one_do_not() -> None:
    sliced, whole = planned(a_slice_pool(), a_pool())
    assert sliced.labels == {
        "gpu.vendor": "nvidia",
        "gpu.model": "A100",
        "gpu.mem": "80gb",
        "gpu.mig": "enabled",
        "gpu.mig.profile": "1g.10gb",
        "gpu.role": "worker",
        "gpu.pool": "train",
    }
    assert whole.labels["gpu.mig"] == "disabled"
    assert "gpu.mig.profile" not in whole.labels
    assert whole.node_labels["karpenter.sh/capacity-type"] == "on-demand"


def test_a_pool_of_one_card_and_market_is_selected_by_them() -> None:
    assert selection_of(pool(a_pool())).as_labels() == {
        "gpu.pool": "infer",
        "gpu.role": "worker",
        "gpu.mig": "disabled",
        "gpu.model": "L4",
        "gpu.mem": "24gb",
        "karpenter.sh/capacity-type": "on-demand",
    }


def test_a_pool_of_several_cards_or_markets_leaves_them_open() -> None:
    both = [a_market("spot"), a_market("on-demand")]
    several = a_pool(cards=[a_card("L4-24GB", ["g6.xlarge"], both), a_card("T4-16GB", ["g4dn.xlarge"], both)])
    assert set(selection_of(pool(several)).as_labels()) == {"gpu.pool", "gpu.role", "gpu.mig"}


def test_two_memories_of_one_model_are_two_cards() -> None:
    cards_: list[Plain] = [a_card("A100-40GB", ["p4d.24xlarge"]), a_card("A100-80GB", ["p4de.24xlarge"])]
    chosen = selection_of(pool(a_pool(cards=cards_)))
    assert (chosen.model, chosen.memory, chosen.market) == (None, None, Market.ON_DEMAND)


def test_a_pools_taints_are_the_standards_and_then_its_own() -> None:
    (node_pool,) = planned(a_pool(taints=[{"key": "protected", "value": "yes", "effect": "NoExecute"}]))
    assert [taint.key for taint in node_pool.taints] == ["nvidia.com/gpu", "dedicated", "gpu.pool", "protected"]
    assert node_pool.taints[3].effect == "NoExecute"


def test_what_the_catalog_does_not_know_is_left_out_for_the_judges_to_name() -> None:
    assert nodepools_of(pool(a_pool(cards=[a_card("A999-1GB"), a_card("L4-24GB", ["g99.xlarge"])])), ZONES) == ()


def test_markets_are_named_once_in_order_of_preference() -> None:
    raw = a_pool(cards=[a_card(markets=[a_market("spot"), a_market("on-demand")]), a_card("T4-16GB", ["g4dn.xlarge"])])
    assert markets_of(pool(raw)) == (Market.SPOT, Market.ON_DEMAND)
