import pytest

from gpuplatform.accept import examine
from gpuplatform.faults import Severity
from gpuplatform.settings.source import Plain
from tests.builders import a_pool, a_shared_pool, a_slice_pool, a_static_pool, paths, settings_object

BY_CLAIM: dict[str, Plain] = {"dra": True, "mig_bring_up": "before-kubelet", "sharing": {"mig": "3g.40gb"}}


def examined(*pools: Plain, **overrides: Plain) -> list[tuple[str, str]]:
    loaded = examine(settings_object(pools=list(pools), feature_gates={"static_capacity": True}, **overrides))
    return [(fault.path, fault.severity.value) for fault in loaded.faults]


def test_a_static_pool_of_whole_cards_or_of_early_slices_may_be_for_claims() -> None:
    assert examined(a_static_pool(dra=True)) == []
    assert examined(a_static_pool(**BY_CLAIM)) == []


def test_an_elastic_pool_is_refused_because_no_claim_starts_a_node() -> None:
    (fault,) = examine(settings_object(pools=[a_pool(dra=True)])).faults
    assert fault.path == "pools[serve].dra"
    assert "9519" in fault.allowed
    assert "nodes: N" in fault.change


@pytest.mark.parametrize("sharing", [{"time_slicing": 4}, {"mps": 4}])
def test_shares_are_the_device_plugins(sharing: dict[str, Plain]) -> None:
    pool = a_shared_pool(dra=True, nodes=1, cards=a_static_pool()["cards"])
    pool["sharing"] = sharing
    assert examined(pool) == [("pools[notebook].dra", "error")]


def test_slices_that_the_operator_would_cut_are_refused() -> None:
    pool = a_static_pool(dra=True, sharing={"mig": "3g.40gb"})
    assert examined(pool) == [("pools[chief].dra", "error")]


def test_kubernetes_before_1_34_has_no_claims() -> None:
    loaded = examine(settings_object(pools=[a_static_pool(dra=True)], cluster={"version": "1.33"}))
    assert "cluster.version" in paths(loaded.faults)


def test_a_resource_that_is_counted_and_claimed_is_warned_about() -> None:
    static = a_static_pool(dra=True, mig_bring_up="before-kubelet", sharing={"mig": "1g.10gb"})
    faults = examined(static, a_slice_pool())
    assert ("pools[chief].dra", Severity.WARNING.value) in faults
    assert [path for path, severity in faults if severity == "error"] == []
