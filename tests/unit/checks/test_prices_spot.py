import pytest

from gpuplatform.accept import examine
from gpuplatform.faults import Fault, Severity
from gpuplatform.settings.source import Plain
from tests.builders import a_card, a_market, a_pool, settings_object

PATH = "account.spot_service_linked_role"
CPU: Plain = {"name": "cpu", "instance_types": ["m7i.large", "m7g.large"], "ceiling_vcpus": 16}
NEURON: Plain = {
    "name": "neuron",
    "instance_types": ["inf2.xlarge"],
    "ceiling_devices": 1,
    "markets": ["spot", "on-demand"],
    "disruption": {"consolidation": "WhenEmpty"},
}


def faults(account: Plain, **others: Plain) -> list[Fault]:
    raw = settings_object(**others)
    raw["account"] = account
    return [fault for fault in examine(raw).faults if fault.path.startswith("account")]


@pytest.mark.parametrize(
    ("pools", "name"),
    [
        ({"pools": [a_pool(cards=[a_card(markets=[a_market("spot"), a_market()])])]}, "serve"),
        ({"cpu_pools": [CPU]}, "cpu"),
        ({"neuron_pools": [NEURON]}, "neuron"),
    ],
    ids=["cards", "cpu", "neuron"],
)
def test_a_pool_on_spot_whose_role_nobody_makes_is_a_warning(pools: dict[str, Plain], name: str) -> None:
    (fault,) = faults({}, **pools)
    assert (fault.path, fault.severity) == (PATH, Severity.WARNING)
    assert name in fault.given
    assert "AWSServiceRoleForEC2Spot" in fault.allowed
    for role in ("create", "present"):
        assert faults({"spot_service_linked_role": role}, **pools) == []


def test_without_spot_nobody_asks_for_the_role() -> None:
    assert faults({}) == []


def test_another_word_is_refused_once() -> None:
    (fault,) = faults({"spot_service_linked_role": "maybe"}, cpu_pools=[CPU])
    assert (fault.path, fault.severity) == (PATH, Severity.ERROR)
