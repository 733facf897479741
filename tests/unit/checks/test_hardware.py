import pytest

from gpuplatform.accept import examine
from gpuplatform.settings.source import Plain
from tests.builders import a_card, a_market, a_pool, settings_object


def reported(**overrides: Plain) -> list[tuple[str, str]]:
    return [(fault.path, fault.given) for fault in examine(settings_object(**overrides)).faults]


def of_types(*types: str, card: str = "L4-24GB", **pool: Plain) -> list[tuple[str, str]]:
    return reported(pools=[a_pool(cards=[a_card(card, types, [a_market(ceiling_cards=64)])], **pool)])


HERE = "pools[serve].cards[L4-24GB].instance_types"


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("g6.xlrge", "g6.xlrge"),
        ("g5.xlarge", "g5.xlarge, which carries A10G-24GB"),
        ("g6f.large", "g6f.large"),
        ("m7i.large", "m7i.large"),
        ("inf2.xlarge", "inf2.xlarge"),
    ],
)
def test_a_card_choice_names_only_types_that_carry_that_card_whole(name: str, given: str) -> None:
    assert of_types("g6.xlarge", name) == [(HERE, given)]


def test_both_memories_of_one_model_are_two_cards_that_do_not_mix() -> None:
    assert of_types("p4d.24xlarge", "p4de.24xlarge", card="A100-40GB") == [
        ("pools[serve].cards[A100-40GB].instance_types", "p4de.24xlarge, which carries A100-80GB")
    ]


def test_a_card_that_the_catalog_lacks_is_answered_with_the_closest() -> None:
    (fault,) = (
        fault
        for fault in examine(settings_object(pools=[a_pool(cards=[a_card("A100-80")])])).faults
        if fault.path.endswith(".card")
    )
    assert fault.change == "write A100-80GB"


@pytest.mark.parametrize(("name", "is_fault"), [("g6.8xlarge", False), ("g6.4xlarge", True)])
def test_with_efa_every_type_has_it(name: str, is_fault: bool) -> None:
    assert of_types(name, efa=True) == ([(HERE, name)] if is_fault else [])


def test_a_type_that_a_public_source_rules_out_in_the_region_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gpuplatform.catalog.prices._ruled_out", lambda: frozenset({("p5e.48xlarge", "us-east-1")}))
    assert of_types("p5e.48xlarge", card="H200-141GB") == [
        ("pools[serve].cards[H200-141GB].instance_types", "p5e.48xlarge")
    ]
    (fault,) = examine(settings_object(system_nodes={"instance_types": ["p5e.48xlarge"]})).faults[:1]
    assert fault.allowed == "a type that us-east-1 offers"


def test_system_nodes_and_cpu_pools_have_no_accelerators() -> None:
    for name in ("g6.xlarge", "inf2.xlarge", "g6f.large"):
        cpu: Plain = {"name": "cpu", "instance_types": [name], "ceiling_vcpus": 64}
        assert reported(system_nodes={"instance_types": [name]}) == [("system_nodes.instance_types", name)]
        assert reported(cpu_pools=[cpu]) == [("cpu_pools[cpu].instance_types", name)]


def test_neuron_pools_have_neuron_devices() -> None:
    def pool(name: str) -> Plain:
        return {"name": "neuron", "instance_types": [name], "ceiling_devices": 16}

    assert reported(neuron_pools=[pool("inf2.xlarge")]) == []
    assert reported(neuron_pools=[pool("g6.xlarge")]) == [("neuron_pools[neuron].instance_types", "g6.xlarge")]
