import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplatform.catalog.prices import price
from gpuplatform.plan.node_pools import plan
from gpuplatform.plan.prices import Prices, price_range_usd_per_hour, price_range_usd_per_unit_hour
from gpuplatform.settings.settings import Cost
from gpuplatform.settings.source import Plain
from gpuplatform.standard.markets import Market
from tests.builders import ZONES, a_card, a_market, a_pool, a_slice_pool, some_settings


def listed(name: str) -> float:
    list_price = price(name, "us-east-1")
    assert list_price is not None
    return list_price.usd_per_hour


def test_the_range_of_a_nodepool_is_from_its_cheapest_to_its_dearest_node() -> None:
    settings = some_settings(
        pools=[a_pool(cards=[a_card(types=["g6.2xlarge", "g6.xlarge"], markets=[a_market("spot")])])]
    )
    (planned,) = plan(settings.pools, ZONES)
    prices = Prices("us-east-1", settings.cost)
    low, high = price_range_usd_per_hour(planned, prices) or (0, 0)
    assert (low, high) == (pytest.approx(listed("g6.xlarge") * 0.4), pytest.approx(listed("g6.2xlarge") * 0.4))
    assert price_range_usd_per_hour(planned, Prices("nowhere-1", settings.cost)) is None


def test_a_slice_costs_its_part_of_the_card_with_the_host() -> None:
    settings = some_settings(pools=[a_slice_pool()])
    (planned,) = plan(settings.pools, ZONES)
    low, high = price_range_usd_per_unit_hour(planned, Prices("us-east-1", settings.cost)) or (0, 0)
    nodes = [
        listed(instance_type.name) / (instance_type.cards * planned.units_per_card) for instance_type in planned.types
    ]
    assert (low, high) == (pytest.approx(min(nodes)), pytest.approx(max(nodes)))


def test_old_prices_are_told_by_the_given_day_and_a_price_of_the_settings_is_not() -> None:
    prices = Prices("us-east-1", some_settings().cost)
    row = price("g6.xlarge", "us-east-1")
    assert row is not None
    lines = prices.old(["g6.xlarge"], row.as_of + datetime.timedelta(days=91))
    assert f"91 days old ({row.as_of}): g6.xlarge" in lines
    assert not any("g6.xlarge" in line for line in prices.old(["g6.xlarge"], row.as_of + datetime.timedelta(days=90)))
    override: Plain = {"instance_type": "g6.xlarge", "usd_per_hour": 0.5, "source": "our contract"}
    ours = Prices("us-east-1", some_settings(cost={"prices": [override]}).cost)
    assert not any("g6.xlarge" in line for line in ours.old(["g6.xlarge"], row.as_of + datetime.timedelta(days=500)))


@given(st.floats(0.01, 1), st.sampled_from(["g6.xlarge", "p5.48xlarge", "m7i.large"]))
def test_spot_is_never_dearer_than_on_demand(ratio: float, name: str) -> None:
    prices = Prices("us-east-1", Cost(monthly_floor_limit_usd=0, monthly_budget_usd=0, spot_price_ratio=ratio))
    spot, on_demand = prices.usd_per_hour(name, Market.SPOT), prices.usd_per_hour(name, Market.ON_DEMAND)
    assert spot is not None
    assert on_demand is not None
    assert spot <= on_demand
