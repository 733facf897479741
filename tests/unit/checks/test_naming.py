import pytest

from gpuplatform.accept import examine
from gpuplatform.checks.naming import RESERVED_NAMESPACES
from gpuplatform.settings.source import Plain
from tests.builders import a_card, a_market, a_namespace, a_pool, a_slice_pool, a_tenant, paths, settings_object

CPU: dict[str, Plain] = {"name": "serve", "instance_types": ["m7i.large"], "ceiling_vcpus": 8}


@pytest.mark.parametrize(
    ("overrides", "path"),
    [
        ({"pools": [a_pool(), a_slice_pool(name="serve")]}, "pools[serve]"),
        ({"pools": [a_pool()], "cpu_pools": [CPU]}, "pools[serve]"),
        (
            {"tenants": [a_tenant(), a_tenant(namespaces=[a_namespace(name="other")])]},
            "tenants[serving]",
        ),
        ({"tenants": [a_tenant(), a_tenant(name="other")]}, "tenants[other].namespaces[ml-serving].name"),
        (
            {"pools": [a_pool(cards=[a_card(markets=[a_market(), a_market()])])]},
            "pools[serve].cards[L4-24GB].markets[on-demand]",
        ),
        (
            {"pools": [a_pool(cards=[a_card(types=["g6.xlarge"] * 2)])]},
            "pools[serve].cards[L4-24GB].instance_types[g6.xlarge]",
        ),
        ({"pools": [a_pool(cards=[a_card(), a_card()])]}, "pools[serve].cards[L4-24GB]"),
    ],
    ids=lambda parameter: parameter if isinstance(parameter, str) else "",
)
def test_a_name_that_stands_twice_is_refused(overrides: dict[str, Plain], path: str) -> None:
    fault_paths = paths(examine(settings_object(**overrides)).faults)
    assert fault_paths == [path]


def test_a_namespace_of_two_teams_names_both() -> None:
    (fault,) = examine(settings_object(tenants=[a_tenant(), a_tenant(name="other")])).faults
    assert fault.given == "ml-serving, which serving has too"


@pytest.mark.parametrize("name", sorted(RESERVED_NAMESPACES))
def test_a_tenant_does_not_take_a_namespace_of_the_platform(name: str) -> None:
    tenant = a_tenant(namespaces=[a_namespace(name=name)])
    assert paths(examine(settings_object(tenants=[tenant])).faults) == [f"tenants[serving].namespaces[{name}].name"]


def test_a_pool_name_that_would_make_a_nodepool_name_too_long_is_refused_at_the_field() -> None:
    (fault,) = examine(settings_object(pools=[a_pool(name="p" * 25)])).faults
    assert fault.allowed == "at most 24 characters"


def test_the_longest_pool_name_is_accepted_in_the_longest_zone_name() -> None:
    card = a_card("RTX-PRO-4500-32GB", ["g7.2xlarge"], [a_market(ceiling_cards=None)])
    raw = settings_object(
        region="ap-southeast-1",
        network={"new": {"zones": ["ap-southeast-1a", "ap-southeast-1b"]}},
        pools=[a_pool(name="p" * 24, nodes=1, cards=[card])],
    )
    errors = [fault for fault in examine(raw).faults if fault.severity == "error"]
    assert len("p" * 24 + "-rtx-pro-4500-32gb-on-demand-ap-southeast-1a") > 63
    assert paths(errors) == [f"pools[{'p' * 24}].name"]


@pytest.mark.parametrize("kind", ["cpu_pools", "neuron_pools"])
def test_no_other_pool_has_the_name_of_a_gpu_pool_s_node_pool(kind: str) -> None:
    bodies: dict[str, dict[str, Plain]] = {
        "cpu_pools": {"instance_types": ["m7i.large"], "ceiling_vcpus": 16},
        "neuron_pools": {"instance_types": ["inf2.xlarge"], "ceiling_devices": 1},
    }
    pools: list[Plain] = [{"name": "serve-l4-24gb-on-demand", **bodies[kind]}]
    (fault,) = examine(settings_object(**{kind: pools})).faults
    assert fault.path == f"{kind}[serve-l4-24gb-on-demand].name"
    assert "NodePool of the pool serve" in fault.given
