import pytest

from gpuplatform.accept import examine
from gpuplatform.settings.source import Plain
from tests.builders import a_pool, a_shared_pool, a_slice_pool, paths, settings_object


def faults(pool: dict[str, Plain]) -> list[str]:
    return paths(examine(settings_object(pools=[pool])).faults)


@pytest.mark.parametrize("bring_up", ["operator", "before-kubelet"])
def test_only_a_pool_with_mig_says_who_cuts_its_cards(bring_up: str) -> None:
    assert faults(a_slice_pool(mig_bring_up=bring_up)) == []
    assert faults(a_pool(mig_bring_up=bring_up)) == ["pools[serve].mig_bring_up"]
    assert faults(a_shared_pool(mig_bring_up=bring_up)) == ["pools[notebook].mig_bring_up"]
    assert faults(a_shared_pool(sharing={"mps": 4, "time_slicing": None}, mig_bring_up=bring_up)) == [
        "pools[notebook].mig_bring_up"
    ]


def test_an_unknown_way_to_bring_mig_up_is_one_fault() -> None:
    assert faults(a_slice_pool(mig_bring_up="later")) == ["pools[worker].mig_bring_up"]


def test_sharing_that_could_not_be_read_is_not_taken_for_none() -> None:
    unreadable = a_pool(mig_bring_up="before-kubelet", sharing={"migg": "1g.10gb"})
    assert faults(unreadable) == ["pools[serve].sharing.migg"]
