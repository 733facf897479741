import pytest

from gpuplatform.accept import examine
from gpuplatform.settings.source import Plain
from tests.builders import ZONES, a_card, a_market, a_pool, a_static_pool, paths, settings_object


def faults(*pools: Plain) -> list[str]:
    return paths(examine(settings_object(pools=list(pools))).faults)


@pytest.mark.parametrize(("ceiling", "is_fault"), [(7, True), (8, False), (16, False)])
def test_a_ceiling_holds_one_node_of_the_largest_type(ceiling: int, is_fault: bool) -> None:
    pool = a_pool(cards=[a_card("A100-40GB", ["p4d.24xlarge"], [a_market(ceiling_cards=ceiling)])])
    where = ["pools[serve].cards[A100-40GB].markets[on-demand].ceiling_cards"]
    assert faults(pool) == (where if is_fault else [])


def test_an_elastic_pool_needs_a_ceiling_and_a_static_one_has_none() -> None:
    assert faults(a_pool(cards=[a_card(markets=[a_market(ceiling_cards=None)])])) == [
        "pools[serve].cards[L4-24GB].markets[on-demand].ceiling_cards"
    ]
    assert faults(a_static_pool(cards=[a_card("H100-80GB", ["p5.4xlarge"], [a_market()])])) == [
        "pools[chief].cards[H100-80GB].markets[on-demand].ceiling_cards"
    ]


@pytest.mark.parametrize(("nodes", "is_fault"), [(1, True), (2, False), (3, True), (4, False)])
def test_a_static_pools_nodes_are_a_multiple_of_its_zones(nodes: int, is_fault: bool) -> None:
    assert faults(a_static_pool(nodes=nodes, zones=list(ZONES))) == (["pools[chief].nodes"] if is_fault else [])


@pytest.mark.parametrize(
    "cards",
    [
        [a_card("H100-80GB", ["p5.4xlarge"], [a_market(ceiling_cards=None)])] * 2,
        [
            a_card(
                "H100-80GB",
                ["p5.4xlarge"],
                [a_market(ceiling_cards=None), a_market("reserved", None, reservation_ids=["cr-0123456789abcdef0"])],
            )
        ],
        [a_card("H100-80GB", ["p5.4xlarge", "p5.48xlarge"], [a_market(ceiling_cards=None)])],
    ],
    ids=["two-cards", "two-markets", "two-sizes"],
)
def test_a_static_pool_has_one_card_one_market_and_one_size(cards: list[Plain]) -> None:
    assert "pools[chief].cards" in faults(a_static_pool(cards=cards))


def test_a_chief_is_static_and_never_on_spot() -> None:
    chief = a_pool(role="chief", purpose="train", cards=[a_card(markets=[a_market("spot")])])
    assert faults(chief) == ["pools[serve].nodes", "pools[serve].cards[L4-24GB].markets[spot]"]


def test_a_worker_pool_may_be_static_too() -> None:
    assert faults(a_static_pool(role="worker")) == []


@pytest.mark.parametrize(
    ("market", "reservations", "is_fault"),
    [
        ("reserved", ["cr-0123456789abcdef0"], False),
        ("reserved", [], True),
        ("on-demand", ["cr-0123456789abcdef0"], True),
        ("spot", [], False),
    ],
)
def test_reservations_are_named_with_the_market_reserved_and_only_there(
    market: str, reservations: list[Plain], is_fault: bool
) -> None:
    pool = a_pool(cards=[a_card(markets=[a_market(market, reservation_ids=reservations)])])
    where = [f"pools[serve].cards[L4-24GB].markets[{market}].reservation_ids"]
    assert faults(pool) == (where if is_fault else [])


def test_zones_are_the_networks() -> None:
    assert faults(a_pool(zones=["us-east-1b"])) == []
    assert faults(a_pool(zones=["us-east-1c"])) == ["pools[serve].zones"]


@pytest.mark.parametrize("zone", ["Asia/Soul", "KST", "", "../UTC", "UTC+9"])
def test_a_time_zone_is_one_of_the_iana_database(zone: str) -> None:
    assert faults(a_pool(disruption={"time_zone": zone})) == ["pools[serve].disruption.time_zone"]


def test_a_day_may_end_at_24_00_and_none_begins_there() -> None:
    def window(start: str, end: str) -> dict[str, Plain]:
        return a_pool(disruption={"windows": [{"days": ["Mon"], "start": start, "end": end}]})

    assert faults(window("00:00", "24:00")) == []
    for end in ("06:00", "00:00"):
        assert faults(window("24:00", end)) == ["pools[serve].disruption.windows[0].start"]


def test_one_card_types_of_several_sizes_are_fine_because_a_card_costs_one_pod() -> None:
    assert faults(a_pool(cards=[a_card(types=["g6.xlarge", "g6.2xlarge", "g6.16xlarge"])])) == []
    assert faults(a_pool(cards=[a_card(types=["g6.48xlarge"])])) == []


@pytest.mark.parametrize(
    ("override", "path"),
    [
        ({}, None),
        ({"nodes": None}, "pools[chief].provisioner"),
        ({"efa": True}, "pools[chief].efa"),
        ({"placement_group": "close"}, "pools[chief].placement_group"),
        ({"disruption": {"windows": [{"days": ["Sun"], "start": "02:00", "end": "06:00"}]}}, "pools[chief].disruption"),
    ],
    ids=str,
)
def test_a_managed_node_group_is_refused_what_it_cannot_do(override: dict[str, Plain], path: str | None) -> None:
    fault_paths = faults(a_static_pool(provisioner="managed-node-group", **override))
    assert fault_paths == [] if path is None else path in fault_paths


def test_a_managed_node_group_is_on_demand() -> None:
    reserved = a_market("reserved", None, reservation_ids=["cr-0123456789abcdef0"])
    pool = a_static_pool(provisioner="managed-node-group", cards=[a_card("H100-80GB", ["p5.4xlarge"], [reserved])])
    assert faults(pool) == ["pools[chief].cards[H100-80GB].markets"]
