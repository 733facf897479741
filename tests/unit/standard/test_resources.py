import pytest

from gpuplatform.standard import resources


# Correction 22: without the prefix the API refuses the quota, or counts nothing.
@pytest.mark.parametrize(
    ("resource", "key"),
    [
        ("nvidia.com/gpu", "requests.nvidia.com/gpu"),
        ("nvidia.com/mig-1g.10gb", "requests.nvidia.com/mig-1g.10gb"),
        ("aws.amazon.com/neuron", "requests.aws.amazon.com/neuron"),
    ],
)
def test_a_quota_counts_an_extended_resource_by_its_requests(resource: str, key: str) -> None:
    assert resources.quota_key(resource) == key


def test_a_slice_is_named_as_the_device_plugin_names_it() -> None:
    assert resources.mig_resource("3g.40gb") == "nvidia.com/mig-3g.40gb"
    assert resources.mig_resource("1g.10gb+me") == "nvidia.com/mig-1g.10gb.me"


@pytest.mark.parametrize(
    ("resource", "is_card"),
    [
        ("nvidia.com/gpu", True),
        ("nvidia.com/mig-1g.5gb", True),
        ("nvidia.com/gpu.shared", False),
        ("aws.amazon.com/neuron", False),
        ("cpu", False),
    ],
)
def test_cards_shares_and_slices_are_told_from_other_resources(resource: str, is_card: bool) -> None:
    assert resources.is_card_resource(resource) is is_card
