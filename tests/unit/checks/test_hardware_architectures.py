import pytest

from gpuplatform.accept import examine
from gpuplatform.settings.source import Plain
from tests.builders import a_card, a_market, a_pool, paths, settings_object


def faults(**overrides: Plain) -> list[str]:
    return paths(examine(settings_object(**overrides)).faults)


def a_cpu_pool(*types: str) -> Plain:
    return {"name": "cpu", "instance_types": list(types), "ceiling_vcpus": 64}


@pytest.mark.parametrize(
    ("types", "is_fault"),
    [(["m7i.large", "c7i.large"], False), (["m7g.large", "c8g.large"], False), (["m7i.large", "m7g.large"], True)],
)
def test_a_cpu_pool_and_the_system_nodes_are_of_one_architecture(types: list[str], is_fault: bool) -> None:
    assert faults(cpu_pools=[a_cpu_pool(*types)]) == (["cpu_pools[cpu].instance_types"] if is_fault else [])
    assert faults(system_nodes={"instance_types": list(types)}) == (["system_nodes.instance_types"] if is_fault else [])


def test_the_refusal_names_the_types_of_each_architecture() -> None:
    (fault,) = examine(settings_object(cpu_pools=[a_cpu_pool("m7g.large", "m7i.large", "c7g.large")])).faults
    assert fault.given == "amd64: m7i.large; arm64: m7g.large, c7g.large"
    assert "a separate pool" in fault.change


def test_a_gpu_pool_is_of_one_architecture_over_all_its_cards() -> None:
    graviton = a_card("T4G-16GB", ["g5g.xlarge"], [a_market("spot", 4)])
    assert faults(pools=[a_pool(cards=[graviton])]) == []
    assert faults(pools=[a_pool(cards=[graviton, a_card("T4-16GB", ["g4dn.xlarge"])])]) == ["pools[serve].cards"]


def test_a_type_with_another_card_has_its_fault_already() -> None:
    assert faults(pools=[a_pool(cards=[a_card("T4-16GB", ["g4dn.xlarge", "g5g.xlarge"])])]) == [
        "pools[serve].cards[T4-16GB].instance_types"
    ]
