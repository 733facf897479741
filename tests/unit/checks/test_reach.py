from gpuplatform.accept import examine
from gpuplatform.faults import Fault
from gpuplatform.settings.source import Plain
from tests.builders import a_card, a_market, a_pool, merged, settings_object


def faults(*pools: Plain) -> tuple[Fault, ...]:
    return examine(settings_object(pools=list(pools))).faults


WIDE = a_pool(name="wide", cards=[a_card(), a_card("T4-16GB", ["g4dn.xlarge"])])
NARROW = a_pool(name="narrow")


def test_two_pools_of_which_one_reaches_the_other_are_refused_with_what_would_part_them() -> None:
    reach_faults = faults(NARROW, WIDE)
    assert [fault.path for fault in reach_faults] == ["pools[narrow]", "pools[wide]"]
    assert reach_faults[0].given == "a block that also reaches the NodePool wide-l4-24gb-on-demand of the pool 'wide'"
    assert "add a taint to 'wide'" in reach_faults[0].change
    assert "gpu.model" in reach_faults[0].change
    assert "karpenter.sh/capacity-type" in reach_faults[0].change


def test_each_of_the_remedies_that_it_names_parts_them() -> None:
    tainted_wide = merged(WIDE, {"taints": [{"key": "wide", "value": "yes"}]})
    tainted_narrow = merged(NARROW, {"taints": [{"key": "narrow", "value": "yes"}]})
    assert faults(tainted_narrow, tainted_wide) == ()
    one_card = a_pool(name="wide", cards=[a_card("T4-16GB", ["g4dn.xlarge"])])
    assert faults(NARROW, one_card) == ()
    one_market = a_pool(name="wide", cards=[a_card(markets=[a_market("spot")])])
    assert faults(NARROW, one_market) == ()


def test_a_pool_that_is_wrong_in_itself_is_not_compared_with_others() -> None:
    assert [fault.path for fault in faults(NARROW | {"efa": "no"}, WIDE)] == ["pools[narrow].efa"]


def test_the_order_of_the_file_does_not_matter() -> None:
    assert {str(fault) for fault in faults(NARROW, WIDE)} == {str(fault) for fault in faults(WIDE, NARROW)}
