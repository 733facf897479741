import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplatform.analysis.cost import Bill, advice, bill, difference, faults, team_lines, unpromised
from gpuplatform.catalog.prices import price
from gpuplatform.catalog.service_prices import HOURS_PER_MONTH, gp3_usd_per_hour
from gpuplatform.settings import partial
from gpuplatform.settings.source import Plain
from tests.builders import (
    STACKS,
    ZONES,
    a_card,
    a_market,
    a_namespace,
    a_pool,
    a_slice_pool,
    a_static_pool,
    a_tenant,
    merged,
    settings_object,
    some_settings,
    stack_settings,
)

CONTROL_PLANE, NAT = 0.10, 0.045
ENDPOINTS = 9 * 2 * 0.01  # nine services in two zones
SERVING = gp3_usd_per_hour(200, 6000, 250)
TRAINING = gp3_usd_per_hour(500, 16000, 1000)
PLAIN = gp3_usd_per_hour(100)
"""Root volumes by what a node is for."""


def of(name: str) -> float:
    list_price = price(name, "us-east-1")
    assert list_price is not None
    return list_price.usd_per_hour


def billed(**overrides: Plain) -> Bill:
    whole = bill(partial.of_settings(some_settings(**overrides)))
    assert whole is not None
    return whole


def floor_and_ceiling(whole: Bill, name: str) -> tuple[float, float]:
    (bill_line,) = (bill_line for bill_line in whole.lines if bill_line.name == name)
    return bill_line.floor_usd_per_hour, bill_line.ceiling_usd_per_hour


def test_the_floor_is_what_runs_when_nobody_works() -> None:
    whole = billed(pools=[a_pool(), a_static_pool()])
    system = 4 * (of("m7i.large") + 50 * 0.08 / HOURS_PER_MONTH)
    assert whole.floor_usd_per_month == pytest.approx(
        (CONTROL_PLANE + NAT + ENDPOINTS + system + of("p5.4xlarge") + TRAINING) * 730
    )


def test_an_elastic_pool_costs_nothing_at_rest_and_its_ceiling_at_most() -> None:
    assert floor_and_ceiling(billed(), "serve-l4-24gb-on-demand") == (
        0.0,
        pytest.approx(8 * (of("g6.xlarge") + SERVING)),
    )


def test_the_ceiling_is_filled_the_dearest_way_per_card() -> None:
    pool = a_pool(
        cards=[a_card(types=["g6.xlarge", "g6.16xlarge", "g6.48xlarge"], markets=[a_market(ceiling_cards=16)])]
    )
    dearest = max(of("g6.xlarge") + SERVING, of("g6.16xlarge") + SERVING, (of("g6.48xlarge") + SERVING) / 8)
    assert floor_and_ceiling(billed(pools=[pool]), "serve-l4-24gb-on-demand")[1] == pytest.approx(16 * dearest)


def test_spot_costs_the_assumed_part_of_on_demand() -> None:
    pool = a_pool(cards=[a_card(markets=[a_market("spot")])])
    whole = billed(pools=[pool], cost={"spot_price_ratio": 0.25})
    assert floor_and_ceiling(whole, "serve-l4-24gb-spot")[1] == pytest.approx(8 * (of("g6.xlarge") * 0.25 + SERVING))


def test_a_reservation_is_paid_for_like_on_demand() -> None:
    pool = a_pool(cards=[a_card(markets=[a_market("reserved", reservation_ids=["cr-0123456789abcdef0"])])])
    assert (
        floor_and_ceiling(billed(pools=[pool]), "serve-l4-24gb-reserved")
        == (pytest.approx(8 * (of("g6.xlarge") + SERVING)),) * 2
    )


def test_slices_do_not_inflate_the_ceiling_because_it_is_in_cards() -> None:
    sliced, whole = billed(pools=[a_slice_pool()]), billed(pools=[a_slice_pool(sharing="exclusive")])
    assert sliced.ceiling_usd_per_month == whole.ceiling_usd_per_month


def test_a_static_pool_costs_the_same_at_rest_and_at_most() -> None:
    whole = billed(pools=[a_static_pool(nodes=4, zones=list(ZONES))])
    for zone in ZONES:
        assert (
            floor_and_ceiling(whole, f"chief-h100-80gb-on-demand-{zone}")
            == (pytest.approx(2 * (of("p5.4xlarge") + TRAINING)),) * 2
        )


@pytest.mark.parametrize(("nat", "gateways"), [("single", 1), ("per-zone", 2)])
def test_nat_is_paid_for_each_gateway(nat: str, gateways: int) -> None:
    whole = billed(network={"new": {"nat": nat}})
    assert floor_and_ceiling(whole, "NAT gateways") == (pytest.approx(gateways * NAT),) * 2


def test_an_existing_network_pays_for_its_own_nat() -> None:
    raw = settings_object()
    raw["network"] = {
        "existing": {
            "vpc_id": "vpc-0123456789abcdef0",
            "private_subnets": [{"id": f"subnet-0123456789abcdef{n}", "zone": zone} for n, zone in enumerate(ZONES)],
        }
    }
    whole = bill(partial.read(raw)[1])
    assert whole is not None
    assert floor_and_ceiling(whole, "NAT gateways") == (0.0, 0.0)


def test_cpu_and_neuron_pools_are_counted_by_their_own_units() -> None:
    whole = billed(
        cpu_pools=[
            {"name": "cpu", "instance_types": ["m7i.large"], "markets": ["spot", "on-demand"], "ceiling_vcpus": 64}
        ],
        neuron_pools=[{"name": "neuron", "instance_types": ["inf2.24xlarge"], "ceiling_devices": 12}],
    )
    assert floor_and_ceiling(whole, "cpu") == (0.0, pytest.approx(64 / 2 * (of("m7i.large") + PLAIN)))
    assert floor_and_ceiling(whole, "neuron") == (0.0, pytest.approx(12 / 6 * (of("inf2.24xlarge") + PLAIN)))


def test_a_type_without_a_price_is_named_and_left_out_of_the_sums() -> None:
    unpriced = a_pool(cards=[a_card("H200-141GB", ["p5e.48xlarge"])])
    whole = billed(pools=[unpriced])
    assert whole.unpriced == ("p5e.48xlarge",)
    assert floor_and_ceiling(whole, "serve-h200-141gb-on-demand") == (0.0, 0.0)


def test_the_stacks_own_price_outweighs_the_catalogs() -> None:
    contract: Plain = {"instance_type": "g6.xlarge", "usd_per_hour": 0.5, "source": "our contract, 2026-09-01"}
    assert floor_and_ceiling(billed(cost={"prices": [contract]}), "serve-l4-24gb-on-demand")[1] == pytest.approx(
        8 * (0.5 + SERVING)
    )


def expected(whole: Bill, name: str) -> float:
    (bill_line,) = (bill_line for bill_line in whole.lines if bill_line.name == name)
    return bill_line.expected_usd_per_hour


def test_what_is_expected_fills_nodepools_by_preference_on_their_cheapest_type() -> None:
    markets = [a_market("spot", ceiling_cards=4), a_market(ceiling_cards=6)]
    pool = a_pool(cards=[a_card(types=["g6.2xlarge", "g6.xlarge"], markets=markets)], expected_use_percent=60)
    whole = billed(pools=[pool])
    assert expected(whole, "serve-l4-24gb-spot") == pytest.approx(4 * (of("g6.xlarge") * 0.4 + SERVING))
    assert expected(whole, "serve-l4-24gb-on-demand") == pytest.approx(2 * (of("g6.xlarge") + SERVING))


def test_a_pool_that_states_no_use_of_its_own_takes_the_stacks() -> None:
    whole = billed(cost={"expected_use_percent": 50})
    assert expected(whole, "serve-l4-24gb-on-demand") == pytest.approx(4 * (of("g6.xlarge") + SERVING))


def test_what_is_paid_for_anyway_is_expected_whole() -> None:
    whole = billed(pools=[a_pool(), a_static_pool(expected_use_percent=0)])
    floor = floor_and_ceiling(whole, f"chief-h100-80gb-on-demand-{ZONES[0]}")[0]
    assert expected(whole, f"chief-h100-80gb-on-demand-{ZONES[0]}") == floor


@given(st.integers(0, 100), st.integers(1, 40), st.integers(1, 40))
def test_floor_expected_and_ceiling_never_pass_one_another(use: int, spot: int, on_demand: int) -> None:
    markets = [a_market("spot", ceiling_cards=spot), a_market(ceiling_cards=on_demand)]
    pool = a_pool(cards=[a_card(types=["g6.2xlarge", "g6.xlarge"], markets=markets)], expected_use_percent=use)
    whole = billed(pools=[pool, a_static_pool()], cost={"monthly_budget_usd": 10**7})
    for bill_line in whole.lines:
        assert 0 <= bill_line.floor_usd_per_hour <= bill_line.expected_usd_per_hour + 1e-9
        assert (
            bill_line.expected_usd_per_hour
            <= bill_line.ceiling_usd_per_hour + 1e-9
            <= bill_line.on_demand_usd_per_hour + 2e-9
        )


def test_a_teams_quotas_are_priced_by_what_it_may_use() -> None:
    settings = some_settings(tenants=[a_tenant()])
    lines = {(team_line.tenant, team_line.resource): team_line for team_line in team_lines(settings)}
    (team_line,) = lines.values()
    assert team_line.ceiling_usd_per_hour == pytest.approx(team_line.quota * of("g6.xlarge"))
    assert team_line.expected_usd_per_hour == pytest.approx(0.3 * team_line.ceiling_usd_per_hour)


def test_a_quota_is_priced_on_the_cheapest_node_of_the_pools_that_its_namespace_may_use() -> None:
    cheap = a_pool(name="notebook", purpose="dev", cards=[a_card("T4-16GB", ["g4dn.xlarge", "g4dn.2xlarge"])])
    dear = a_pool(cards=[a_card(types=["g6.2xlarge", "g6.xlarge"])])
    serving = a_tenant(namespaces=[a_namespace(quota={"nvidia.com/gpu": 2})])
    both = a_tenant(namespaces=[a_namespace(quota={"nvidia.com/gpu": 2}, pools=["serve", "notebook"])])
    pools: list[Plain] = [cheap, dear]
    (team_line,) = team_lines(some_settings(pools=pools, tenants=[serving]))
    (either,) = team_lines(some_settings(pools=pools, tenants=[both]))
    assert team_line.ceiling_usd_per_hour == pytest.approx(2 * of("g6.xlarge"))
    assert either.ceiling_usd_per_hour == pytest.approx(2 * of("g4dn.xlarge"))


def test_teams_and_what_is_promised_to_nobody_make_the_bill() -> None:
    settings = some_settings(tenants=[a_tenant()])
    whole = bill(partial.of_settings(settings))
    assert whole is not None
    lines = team_lines(settings)
    rest = unpromised(lines, whole)
    assert rest.ceiling_usd_per_hour > 0
    total = sum(line.ceiling_usd_per_hour for line in (*lines, rest))
    assert total == pytest.approx(sum(line.ceiling_usd_per_hour for line in whole.lines))


def test_a_change_is_told_line_by_line_with_its_reason() -> None:
    was, now = some_settings(), some_settings(pools=[a_pool(cards=[a_card(markets=[a_market(ceiling_cards=16)])])])
    (moved,) = difference(was, now).moved
    assert moved.name == "serve-l4-24gb-on-demand"
    assert moved.reasons == ("ceiling_cards 8 → 16",)
    assert difference(was, was).moved == ()


def test_a_new_pool_and_one_that_goes_away_are_told_as_such() -> None:
    was, now = some_settings(), some_settings(pools=[a_pool(name="other")])
    is_new_or_gone = {moved.name: (moved.was is None, moved.now is None) for moved in difference(was, now).moved}
    assert is_new_or_gone == {"serve-l4-24gb-on-demand": (False, True), "other-l4-24gb-on-demand": (True, False)}


def test_a_changed_assumption_is_the_reason_of_every_line_that_it_moves() -> None:
    pools: list[Plain] = [a_pool(cards=[a_card(markets=[a_market("spot"), a_market()])])]
    was, now = some_settings(pools=pools), some_settings(pools=pools, cost={"spot_price_ratio": 0.5})
    assert {moved.reasons for moved in difference(was, now).moved} == {("cost.spot_price_ratio 0.4 → 0.5",)}


def told_of(**pool: Plain) -> str:
    settings = some_settings(pools=[a_pool(**pool)], cost={"monthly_budget_usd": 10**8})
    whole = bill(partial.of_settings(settings))
    assert whole is not None
    return " ".join(cost_advice.says for cost_advice in advice(settings, whole))


def test_advice_follows_the_tree_and_is_silent_where_a_pool_does() -> None:
    spot, both = [a_market("spot")], [a_market("spot"), a_market()]
    assert "buys no spot" in told_of()
    assert told_of(cards=[a_card(markets=both)]) == ""
    assert told_of(taints=[{"key": "protected", "value": "large"}]) == ""
    assert "on demand behind spot" in told_of(purpose="dev", cards=[a_card(markets=both)])
    assert told_of(purpose="dev", cards=[a_card(markets=spot)]) == ""
    large = a_card("A100-40GB", ["p4d.24xlarge"])
    assert "without a reservation" in told_of(purpose="train", cards=[large])


@pytest.mark.parametrize(("key", "which"), [("monthly_floor_limit_usd", 0), ("monthly_budget_usd", 1)])
def test_a_limit_below_the_bill_is_refused_and_one_that_meets_it_is_not(key: str, which: int) -> None:
    whole = billed(pools=[a_static_pool(), a_pool()])
    reached = (whole.floor_usd_per_month, whole.ceiling_usd_per_month)[which]
    for limit, refused in ((int(reached), [f"cost.{key}"]), (int(reached) + 1, [])):
        raw = settings_object(pools=[a_static_pool(), a_pool()], cost={key: limit})
        assert [fault.path for fault in faults(partial.read(raw)[1])] == refused


def test_the_fault_says_what_the_stack_costs() -> None:
    raw = settings_object(cost={"monthly_floor_limit_usd": 10})
    (fault,) = faults(partial.read(raw)[1])
    assert fault.given == f"10, below the floor of ${billed().floor_usd_per_month:,.0f} a month"


def test_without_region_or_limits_there_is_nothing_to_judge() -> None:
    for missing in ("region", "cost"):
        raw = merged(settings_object(), {})
        del raw[missing]
        settings_read = partial.read(raw)[1]
        assert bill(settings_read) is None
        assert faults(settings_read) == []


@pytest.mark.parametrize("stack", STACKS)
def test_each_environment_has_a_price_for_everything_and_room_below_its_limits(stack: str) -> None:
    settings = stack_settings(stack)
    whole = bill(partial.of_settings(settings))
    assert whole is not None
    assert whole.unpriced == ()
    assert 0 < whole.floor_usd_per_month <= settings.cost.monthly_floor_limit_usd
    assert whole.floor_usd_per_month < whole.ceiling_usd_per_month <= settings.cost.monthly_budget_usd


def test_a_months_hours_are_awss_own() -> None:
    assert HOURS_PER_MONTH == 365 * 24 / 12
