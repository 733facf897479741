import pytest

from gpuplatform.accept import examine
from gpuplatform.settings.source import Plain
from tests.builders import a_card, a_market, a_pool, a_slice_pool, a_static_pool, paths, settings_object


def faults(pool: dict[str, Plain]) -> list[str]:
    return paths(examine(settings_object(pools=[pool])).faults)


@pytest.mark.parametrize(
    ("sharing", "path"),
    [
        ("exclusive", None),
        ({"time_slicing": 2}, None),
        ({"time_slicing": 1}, "pools[worker].sharing.time_slicing"),
        ({"time_slicing": 100}, None),
        ({"mps": 48}, None),
        ({"mps": 49}, "pools[worker].sharing.mps"),
        ({"mps": 0}, "pools[worker].sharing.mps"),
        ({"mig": "1g.10gb"}, None),
        ({"mig": "1g.10gb+me"}, None),
        ({"mig": "1g.10gb", "mps": 2}, "pools[worker].sharing"),
        ({"time_slicing": 2, "mps": 2}, "pools[worker].sharing"),
        ({}, "pools[worker].sharing"),
        ({"mig": "2g.10gb"}, "pools[worker].sharing.mig"),
    ],
    ids=str,
)
def test_a_card_is_shared_in_exactly_one_way_within_its_bounds(sharing: Plain, path: str | None) -> None:
    assert faults(a_slice_pool() | {"sharing": sharing}) == ([] if path is None else [path])


# Correction 3: 1g.10gb ×7 and 3g.40gb are of 80 GB cards only.
@pytest.mark.parametrize(
    ("card", "instance_type", "profile", "is_legal"),
    [
        ("A100-40GB", "p4d.24xlarge", "3g.40gb", False),
        ("A100-40GB", "p4d.24xlarge", "1g.10gb", True),
        ("A100-80GB", "p4de.24xlarge", "3g.40gb", True),
        ("H100-80GB", "p5.48xlarge", "1g.5gb", False),
        ("L4-24GB", "g6.48xlarge", "1g.5gb", False),
    ],
)
def test_a_profile_is_one_that_the_card_has(card: str, instance_type: str, profile: str, is_legal: bool) -> None:
    pool = a_slice_pool(cards=[a_card(card, [instance_type])], sharing={"mig": profile})
    assert faults(pool) == ([] if is_legal else ["pools[worker].sharing.mig"])


def test_a_profile_that_the_card_lacks_is_answered_with_those_it_has_and_how_many() -> None:
    pool = a_slice_pool(cards=[a_card("A100-40GB", ["p4d.24xlarge"])], sharing={"mig": "3g.40gb"})
    (fault,) = examine(settings_object(pools=[pool])).faults
    assert "1g.5gb (7 on a card)" in fault.allowed
    assert "1g.10gb (4 on a card)" in fault.allowed


def test_a_profile_has_to_be_of_every_card_of_the_pool() -> None:
    both: list[Plain] = [a_card("A100-40GB", ["p4d.24xlarge"]), a_card("A100-80GB", ["p4de.24xlarge"])]
    assert faults(a_slice_pool(cards=both)) == []  # 1g.10gb is on both, four and seven to a card
    assert faults(a_slice_pool(cards=both, sharing={"mig": "1g.5gb"})) == ["pools[worker].sharing.mig"]


@pytest.mark.parametrize("method", ["time_slicing", "mps"])
def test_a_chief_waits_for_nobody_on_its_card(method: str) -> None:
    assert faults(a_static_pool(sharing={method: 2})) == [f"pools[chief].sharing.{method}"]


def test_a_chief_may_be_cut() -> None:
    assert faults(a_static_pool(sharing={"mig": "3g.40gb"})) == []


def test_a_card_without_mig_can_still_be_time_sliced() -> None:
    assert faults(a_pool(cards=[a_card(markets=[a_market("spot")])], sharing={"time_slicing": 8})) == []
