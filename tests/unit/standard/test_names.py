import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplatform.catalog.cards import cards
from gpuplatform.standard import names
from gpuplatform.standard.labels import LABEL_VALUE
from gpuplatform.standard.markets import Market


def test_a_nodepool_is_named_by_pool_card_market_and_zone() -> None:
    assert names.nodepool("infer", "L4-24GB", Market.SPOT) == "infer-l4-24gb-spot"
    assert names.nodepool("chief", "H100-80GB", Market.ON_DEMAND, "us-east-1a") == (
        "chief-h100-80gb-on-demand-us-east-1a"
    )


def test_a_node_groups_name_ends_in_its_types_and_begins_with_its_nodepools() -> None:
    group_name = names.node_group("chief", ["p5.4xlarge"])
    assert group_name == "chief-93b1a6"
    assert group_name != names.node_group("chief", ["p5.48xlarge"])


@pytest.mark.parametrize("card", cards())
@pytest.mark.parametrize("market", Market)
def test_the_longest_pool_name_still_makes_a_nodepool_name_that_is_a_label_value(card: str, market: Market) -> None:
    longest = names.nodepool("p" * names.MAX_POOL_NAME, card, market)
    assert len(longest) <= 63
    assert names.DNS_LABEL.match(longest)


@given(st.text())
def test_any_text_becomes_a_dns_label_or_nothing(text: str) -> None:
    made = names.dns(text)
    assert made == "" or names.DNS_LABEL.match(made)


def test_a_content_key_is_valid_as_a_label_value_and_as_a_config_maps_key() -> None:
    key = names.content_key(("A100-80GB", "1g.10gb+me-x1"))
    assert key == "a100-80gb.1g.10gb.me-x1"
    assert LABEL_VALUE.match(key)
    assert re.fullmatch(r"[-._a-zA-Z0-9]+", key)


@pytest.mark.parametrize("name", ["a", "a1", "gpu-dev", "1a"])
def test_a_dns_label_is_lower_case_with_hyphens_inside(name: str) -> None:
    assert names.DNS_LABEL.match(name)


@pytest.mark.parametrize("name", ["", "-a", "a-", "A", "a_b", "a.b"])
def test_what_is_no_dns_label(name: str) -> None:
    assert not names.DNS_LABEL.match(name)
