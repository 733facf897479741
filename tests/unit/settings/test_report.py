import pytest

from gpuplatform.accept import examine
from gpuplatform.faults import Fault
from gpuplatform.settings.source import Plain
from tests.builders import a_card, a_market, a_pool, settings_object


def only(**overrides: Plain) -> Fault:
    (fault,) = examine(settings_object(**overrides)).faults
    return fault


@pytest.mark.parametrize(
    ("overrides", "path", "given", "allowed"),
    [
        (
            {"account_id": 111122223333},
            "account_id",
            "111122223333",
            "a text (in quotes, where it looks like a number)",
        ),
        ({"account_id": "123"}, "account_id", '"123"', r"a text that matches ^\d{12}$"),
        ({"pools": []}, "pools", "[]", "at least 1 item(s)"),
        ({"pools": {}}, "pools", "{}", "a list"),
        ({"cluster": {"name": "x" * 41}}, "cluster.name", f'"{"x" * 41}"', "at most 40 characters"),
        ({"cluster": {"deletion_protection": 1}}, "cluster.deletion_protection", "1", "true or false"),
        ({"cluster": {"log_retention_days": 0}}, "cluster.log_retention_days", "0", "one of 1, 3, 5"),
        ({"system_nodes": {"nodes": 1}}, "system_nodes.nodes", "1", "at least 2"),
        ({"system_nodes": {"nodes": 21}}, "system_nodes.nodes", "21", "at most 20"),
        ({"system_nodes": {"nodes": "3"}}, "system_nodes.nodes", '"3"', "a whole number"),
        ({"system_nodes": {"nodes": 2.5}}, "system_nodes.nodes", "2.5", "a whole number"),
        ({"cluster": {"service_cidr": "10.0.0.1/8"}}, "cluster.service_cidr", '"10.0.0.1/8"', "not an IPv4 network: "),
        ({"cluster": {"endpoint": "public"}}, "cluster.endpoint", '"public"', "a mapping of keys to values"),
        ({"cluster": {"endpoint": {"access": "open"}}}, "cluster.endpoint.access", '"open"', "one of 'private' or "),
        ({"cost": {"spot_price_ratio": 0}}, "cost.spot_price_ratio", "0", "more than 0"),
        ({"aliases": "mine"}, "aliases", '"mine"', "one of 'operations-guide' or 'karpenter-guide'"),
        ({"tags": {"a": 1}}, "tags.a", "1", "a text (in quotes, where it looks like a number)"),
        (
            {"pools": [a_pool(sharing="half")]},
            "pools[serve].sharing",
            '"half"',
            "a mapping of keys to values or one of ",
        ),
        (
            {"pools": [a_pool(expire_after_hours=0)]},
            "pools[serve].expire_after_hours",
            "0",
            "at least 1 or one of 'never'",
        ),
        (
            {"pools": [a_pool(cards=[a_card(markets=[a_market("spott")])])]},
            "pools[serve].cards[L4-24GB].markets[spott].market",
            '"spott"',
            "one of 'reserved', 'spot' or 'on-demand'",
        ),
        (
            {"pools": [a_pool(cards=[{"card": "L4-24GB", "instance_types": "g6.xlarge", "markets": [a_market()]}])]},
            "pools[serve].cards[L4-24GB].instance_types",
            '"g6.xlarge"',
            "a list",
        ),
        ({"pools": ["serve", a_pool()]}, "pools[0]", '"serve"', "a mapping of keys to values"),
    ],
    ids=lambda parameter: parameter if isinstance(parameter, str) else "",
)
def test_a_wrong_value_is_one_fault_at_its_path(
    overrides: dict[str, Plain], path: str, given: str, allowed: str
) -> None:
    fault = only(**overrides)
    assert (fault.path, fault.given) == (path, given)
    assert fault.allowed.startswith(allowed)
    assert fault.change


@pytest.mark.parametrize(
    ("overrides", "path", "change"),
    [
        ({"enviroment": "x"}, "enviroment", "write 'environment'"),
        ({"cluster": {"versoin": "1.35"}}, "cluster.versoin", "write 'version'"),
        ({"cluster": {"endpoint": {"acces": "public"}}}, "cluster.endpoint.acces", "write 'access'"),
        ({"network": {"new": {"nats": "single"}}}, "network.new.nats", "write 'nat'"),
        ({"pools": [a_pool(taint=[])]}, "pools[serve].taint", "write 'taints'"),
        ({"pools": [a_pool(disruption={"windws": []})]}, "pools[serve].disruption.windws", "write 'windows'"),
        ({"pools": [a_pool(sharing={"migg": "1g.5gb"})]}, "pools[serve].sharing.migg", "write 'mig'"),
        ({"zzzzzz": 1}, "zzzzzz", "remove 'zzzzzz'"),
        ({"nvidia.com/gpu": 1}, "[nvidia.com/gpu]", "remove 'nvidia.com/gpu'"),
    ],
)
def test_an_unknown_key_is_answered_with_the_closest_known_one(
    overrides: dict[str, Plain], path: str, change: str
) -> None:
    fault = only(**overrides)
    assert (fault.path, fault.change) == (path, change)
    assert fault.allowed.startswith("the keys ")


def test_a_missing_key_is_described_in_its_own_words() -> None:
    raw = a_pool()
    del raw["purpose"]
    fault = only(pools=[raw])
    assert (fault.path, fault.given) == ("pools[serve].purpose", "nothing")
    assert fault.allowed == "The purpose of the pool; the value of the label `gpu.pool`"
    assert fault.change == "add the key 'purpose'"


def test_what_to_change_names_the_key_and_says_what_it_is_for() -> None:
    fault = only(pools=[a_pool(efa="maybe")])
    assert fault.change == (
        "give efa an allowed value: Attach the instance type's EFA interfaces, for multi-node training"
    )


def test_a_long_value_is_cut() -> None:
    fault = only(cost="x" * 500)
    assert len(fault.given) == 80
    assert fault.given.endswith("...")


def test_faults_stand_in_the_order_of_the_file() -> None:
    raw = settings_object(environment=1, region=2, pools=[a_pool(name=3), a_pool(purpose=4)])
    reported = [fault.path for fault in examine(raw).faults]
    assert reported == ["environment", "region", "pools[0].name", "pools[serve].purpose"]
