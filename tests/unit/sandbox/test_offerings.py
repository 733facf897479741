from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gpuplatform.accept import check_file
from gpuplatform.catalog.instance_types import instance_types
from gpuplatform.render.document import name_of
from gpuplatform.render.stack import render
from gpuplatform.settings.settings import Settings
from gpuplatform.standard.markets import Market
from sandbox.contents import known_keys
from sandbox.offerings import Ec2, ec2_of

ROOT = Path(__file__).parents[3]


def settings(stack: str) -> Settings:
    accepted = check_file(ROOT / f"Pulumi.{stack}.yaml").settings
    assert accepted is not None
    return accepted


@pytest.fixture(scope="module")
def ec2() -> Ec2:
    return ec2_of(settings("prod"))


@pytest.fixture(scope="module")
def types(ec2: Ec2) -> dict[str, Any]:
    return {instance_type["name"]: instance_type for instance_type in json.loads(ec2.catalog())["types"]}


def test_every_type_of_the_catalog_is_sold(types: dict[str, Any]) -> None:
    assert types.keys() == instance_types().keys()


def test_spot_costs_the_stacks_ratio_of_on_demand_and_a_reservation_as_much_as_on_demand(ec2: Ec2) -> None:
    on_demand = ec2.usd_per_hour("g6.xlarge", Market.ON_DEMAND)
    assert ec2.usd_per_hour("g6.xlarge", Market.SPOT) == pytest.approx(on_demand * ec2.prices.cost.spot_price_ratio)
    assert ec2.usd_per_hour("g6.xlarge", Market.RESERVED) == on_demand


def test_a_type_without_a_price_has_no_bill(ec2: Ec2) -> None:
    with pytest.raises(LookupError, match="no price in us-east-1"):
        ec2.usd_per_hour("z9.nano", Market.SPOT)


def test_a_node_gives_pods_what_ec2_leaves_of_it(types: dict[str, Any]) -> None:
    assert types["p4de.24xlarge"]["allocatable"] == {"cpu": "95690m", "memory": "1082712Mi"}
    assert types["p4de.24xlarge"]["capacity"]["nvidia.com/gpu"] == "8"
    assert types["p4de.24xlarge"]["capacity"]["vpc.amazonaws.com/efa"] == "4"
    assert types["m7i.large"]["capacity"].keys() == {"cpu", "memory", "pods"}


def test_capacity_is_never_below_what_pods_are_given(types: dict[str, Any]) -> None:
    for instance_type in types.values():
        assert int(instance_type["capacity"]["memory"][:-2]) >= int(instance_type["allocatable"]["memory"][:-2]), (
            instance_type["name"]
        )
        assert int(instance_type["capacity"]["cpu"]) * 1000 >= int(instance_type["allocatable"]["cpu"][:-1]), (
            instance_type["name"]
        )


def test_only_cards_with_a_published_table_are_cut(types: dict[str, Any]) -> None:
    assert types["p4de.24xlarge"]["mig"]
    assert "0x20B210DE" in types["p4de.24xlarge"]["devices"]
    assert not types["g6.xlarge"]["mig"]


def test_labels_are_those_of_the_aws_provider(types: dict[str, Any]) -> None:
    labels = types["g4dn.12xlarge"]["labels"]
    assert labels["karpenter.k8s.aws/instance-family"] == "g4dn"
    assert labels["karpenter.k8s.aws/instance-category"] == "g"
    assert labels["karpenter.k8s.aws/instance-generation"] == "4"
    assert labels["karpenter.k8s.aws/instance-size"] == "12xlarge"
    assert labels["karpenter.k8s.aws/instance-gpu-name"] == "t4"
    assert labels["karpenter.k8s.aws/instance-gpu-count"] == "4"


def test_a_reservation_of_the_settings_is_there_with_its_nodes(ec2: Ec2) -> None:
    (reservation,) = ec2.reservations
    assert (reservation.id, reservation.instance_type, reservation.nodes) == ("cr-0123456789abcdef0", "p5.48xlarge", 2)


@pytest.mark.parametrize("stack", ["dev", "staging", "prod"])
def test_every_requirement_of_the_stacks_is_one_that_the_sandbox_knows(stack: str) -> None:
    for pool in render(settings(stack)).node_pools:
        spec: Any = pool.node_pool["spec"]
        required = {requirement["key"] for requirement in spec["template"]["spec"]["requirements"]}
        assert required <= {*known_keys(), *spec["template"].get("metadata", {}).get("labels", {})}, name_of(
            pool.node_pool
        )
