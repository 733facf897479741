from gpuplatform.accept import examine
from gpuplatform.faults import Fault
from gpuplatform.settings.source import Plain
from tests.builders import a_card, a_market, a_pool, settings_object

HERE = "pools[serve].cards"


def faults(types: list[str], card: str = "H200-141GB", **overrides: Plain) -> list[Fault]:
    market = a_market(ceiling_cards=None if "nodes" in overrides else 64)
    pool = a_pool(cards=[a_card(card, types, [market])], purpose="train", efa=True, **overrides)
    return [fault for fault in examine(settings_object(pools=[pool], region="us-east-2")).faults if fault.path == HERE]


def test_a_static_efa_pool_has_types_with_efa_on_the_same_cards() -> None:
    assert faults(["p5en.48xlarge"], nodes=1) == []
    (fault,) = faults(["p5en.48xlarge", "p5e.48xlarge"], nodes=1)
    assert fault.given == "p5en.48xlarge with EFA on cards 0 to 15, p5e.48xlarge with EFA on cards 0 to 31"
    assert "never launches" in fault.allowed


def test_an_elastic_pool_asks_for_the_interfaces_of_each_type_by_its_pods() -> None:
    assert faults(["p5en.48xlarge", "p5e.48xlarge"]) == []


def test_types_without_efa_are_another_fault() -> None:
    assert faults(["g6.4xlarge", "g6.8xlarge"], card="L4-24GB", nodes=1) == []


def test_a_type_without_efa_on_its_first_card_does_not_mix_on_an_elastic_pool_either() -> None:
    b200, b300 = a_card("B200-180GB", ["p6-b200.48xlarge"]), a_card("B300-269GB", ["p6-b300.48xlarge"])
    pool = a_pool(cards=[b200, b300], purpose="train", efa=True)
    assert HERE in [fault.path for fault in examine(settings_object(pools=[pool])).faults]
