import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplatform.catalog.prices import price
from gpuplatform.proofs import cost
from gpuplatform.proofs.cost import HOURS_PER_MONTH, Bill, Prices, bill, faults, price_range_usd_per_hour
from gpuplatform.settings import draft
from gpuplatform.settings.cost import Cost
from gpuplatform.settings.plan import plan
from gpuplatform.settings.source import Plain
from gpuplatform.standard.markets import Market
from tests.builders import (
    STACKS,
    ZONES,
    a_card,
    a_market,
    a_pool,
    a_slice_pool,
    a_static_pool,
    merged,
    settings_object,
    some_settings,
    stack_settings,
)

CONTROL_PLANE, NAT = 0.10, 0.045
ENDPOINTS = 9 * 2 * 0.01  # nine services in two zones


def of(name: str) -> float:
    found = price(name, "us-east-1")
    assert found is not None
    return found.usd_per_hour


def billed(**overrides: Plain) -> Bill:
    found = bill(draft.of_settings(some_settings(**overrides)))
    assert found is not None
    return found


def line(found: Bill, name: str) -> tuple[float, float]:
    (one,) = (each for each in found.lines if each.name == name)
    return one.floor_usd_per_hour, one.ceiling_usd_per_hour


def test_the_floor_is_what_runs_when_nobody_works() -> None:
    found = billed(pools=[a_pool(), a_static_pool()])
    system = 3 * (of("m7i.large") + 50 * 0.08 / HOURS_PER_MONTH)
    assert found.floor_usd_per_month == pytest.approx(
        (CONTROL_PLANE + NAT + ENDPOINTS + system + of("p5.4xlarge")) * 730
    )


def test_an_elastic_pool_costs_nothing_at_rest_and_its_ceiling_at_most() -> None:
    assert line(billed(), "serve-l4-24gb-on-demand") == (0.0, pytest.approx(8 * of("g6.xlarge")))


def test_the_ceiling_is_filled_the_dearest_way_per_card() -> None:
    pool = a_pool(
        cards=[a_card(types=["g6.xlarge", "g6.16xlarge", "g6.48xlarge"], markets=[a_market(ceiling_cards=16)])]
    )
    dearest = max(of("g6.xlarge"), of("g6.16xlarge"), of("g6.48xlarge") / 8)
    assert line(billed(pools=[pool]), "serve-l4-24gb-on-demand")[1] == pytest.approx(16 * dearest)


def test_spot_costs_the_assumed_part_of_on_demand() -> None:
    pool = a_pool(cards=[a_card(markets=[a_market("spot")])])
    found = billed(pools=[pool], cost={"spot_price_ratio": 0.25})
    assert line(found, "serve-l4-24gb-spot")[1] == pytest.approx(8 * of("g6.xlarge") * 0.25)


def test_a_reservation_is_paid_for_like_on_demand() -> None:
    pool = a_pool(cards=[a_card(markets=[a_market("reserved", reservation_ids=["cr-0123456789abcdef0"])])])
    assert line(billed(pools=[pool]), "serve-l4-24gb-reserved")[1] == pytest.approx(8 * of("g6.xlarge"))


def test_slices_do_not_inflate_the_ceiling_because_it_is_in_cards() -> None:
    sliced, whole = billed(pools=[a_slice_pool()]), billed(pools=[a_slice_pool(sharing="exclusive")])
    assert sliced.ceiling_usd_per_month == whole.ceiling_usd_per_month


def test_a_static_pool_costs_the_same_at_rest_and_at_most() -> None:
    found = billed(pools=[a_static_pool(nodes=4, zones=list(ZONES))])
    for zone in ZONES:
        assert line(found, f"chief-h100-80gb-on-demand-{zone}") == (pytest.approx(2 * of("p5.4xlarge")),) * 2


@pytest.mark.parametrize(("nat", "gateways"), [("single", 1), ("per-zone", 2)])
def test_nat_is_paid_for_each_gateway(nat: str, gateways: int) -> None:
    found = billed(network={"new": {"nat": nat}})
    assert line(found, "NAT gateways") == (pytest.approx(gateways * NAT),) * 2


def test_an_existing_network_pays_for_its_own_nat() -> None:
    raw = settings_object()
    raw["network"] = {
        "existing": {
            "vpc_id": "vpc-0123456789abcdef0",
            "private_subnets": [{"id": f"subnet-0123456789abcdef{n}", "zone": zone} for n, zone in enumerate(ZONES)],
        }
    }
    found = bill(draft.read(raw)[1])
    assert found is not None
    assert line(found, "NAT gateways") == (0.0, 0.0)


def test_cpu_and_neuron_pools_are_counted_by_their_own_units() -> None:
    found = billed(
        cpu_pools=[
            {"name": "cpu", "instance_types": ["m7i.large"], "markets": ["spot", "on-demand"], "ceiling_vcpus": 64}
        ],
        neuron_pools=[{"name": "neuron", "instance_types": ["inf2.24xlarge"], "ceiling_devices": 12}],
    )
    assert line(found, "cpu") == (0.0, pytest.approx(64 / 2 * of("m7i.large")))
    assert line(found, "neuron") == (0.0, pytest.approx(12 / 6 * of("inf2.24xlarge")))


def test_a_type_without_a_price_is_named_and_left_out_of_the_sums() -> None:
    unpriced = a_pool(cards=[a_card("H200-141GB", ["p5e.48xlarge"])])
    found = billed(pools=[unpriced])
    assert found.unpriced == ("p5e.48xlarge",)
    assert line(found, "serve-h200-141gb-on-demand") == (0.0, 0.0)


def test_the_stacks_own_price_outweighs_the_catalogues() -> None:
    own: Plain = {"instance_type": "g6.xlarge", "usd_per_hour": 0.5, "source": "our contract, 2026-09-01"}
    assert line(billed(cost={"prices": [own]}), "serve-l4-24gb-on-demand")[1] == pytest.approx(4.0)


def test_the_range_of_a_nodepool_is_from_its_cheapest_to_its_dearest_node() -> None:
    settings = some_settings(
        pools=[a_pool(cards=[a_card(types=["g6.2xlarge", "g6.xlarge"], markets=[a_market("spot")])])]
    )
    (planned,) = plan(settings.pools, ZONES)
    prices = Prices("us-east-1", settings.cost)
    low, high = price_range_usd_per_hour(planned, prices) or (0, 0)
    assert (low, high) == (pytest.approx(of("g6.xlarge") * 0.4), pytest.approx(of("g6.2xlarge") * 0.4))
    assert price_range_usd_per_hour(planned, Prices("nowhere-1", settings.cost)) is None


@given(st.floats(0.01, 1), st.sampled_from(["g6.xlarge", "p5.48xlarge", "m7i.large"]))
def test_spot_is_never_dearer_than_on_demand(ratio: float, name: str) -> None:
    prices = Prices("us-east-1", Cost(monthly_floor_limit_usd=0, monthly_budget_usd=0, spot_price_ratio=ratio))
    spot, on_demand = prices.usd_per_hour(name, Market.SPOT), prices.usd_per_hour(name, Market.ON_DEMAND)
    assert spot is not None
    assert on_demand is not None
    assert spot <= on_demand


@pytest.mark.parametrize(("key", "which"), [("monthly_floor_limit_usd", 0), ("monthly_budget_usd", 1)])
def test_a_limit_below_the_bill_is_refused_and_one_that_meets_it_is_not(key: str, which: int) -> None:
    found = billed(pools=[a_static_pool(), a_pool()])
    reached = (found.floor_usd_per_month, found.ceiling_usd_per_month)[which]
    for limit, refused in ((int(reached), [f"cost.{key}"]), (int(reached) + 1, [])):
        raw = settings_object(pools=[a_static_pool(), a_pool()], cost={key: limit})
        assert [fault.path for fault in faults(draft.read(raw)[1])] == refused


def test_the_fault_says_what_the_stack_costs() -> None:
    raw = settings_object(cost={"monthly_floor_limit_usd": 10})
    (fault,) = faults(draft.read(raw)[1])
    assert fault.given == f"10, below the floor of ${billed().floor_usd_per_month:,.0f} a month"


def test_without_region_or_limits_there_is_nothing_to_judge() -> None:
    for missing in ("region", "cost"):
        raw = merged(settings_object(), {})
        del raw[missing]
        found = draft.read(raw)[1]
        assert bill(found) is None
        assert faults(found) == []


@pytest.mark.parametrize("stack", STACKS)
def test_each_environment_has_a_price_for_everything_and_room_below_its_limits(stack: str) -> None:
    settings = stack_settings(stack)
    found = bill(draft.of_settings(settings))
    assert found is not None
    assert found.unpriced == ()
    assert 0 < found.floor_usd_per_month <= settings.cost.monthly_floor_limit_usd
    assert found.floor_usd_per_month < found.ceiling_usd_per_month <= settings.cost.monthly_budget_usd


def test_a_months_hours_are_awss_own() -> None:
    assert cost.HOURS_PER_MONTH == 365 * 24 / 12
