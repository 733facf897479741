import pytest

from gpuplatform.settings.load import examine
from gpuplatform.settings.source import Plain
from tests.builders import a_namespace, a_pool, a_shared_pool, a_slice_pool, a_tenant, settings_object

NEURON: dict[str, Plain] = {"name": "neuron", "instance_types": ["inf2.xlarge"], "ceiling_devices": 4}


def said(namespace: dict[str, Plain], **others: Plain) -> list[tuple[str, str]]:
    raw = settings_object(tenants=[a_tenant(namespaces=[namespace])], **others)
    return [
        (fault.path.removeprefix("tenants[serving].namespaces[ml-serving]"), fault.given)
        for fault in examine(raw).faults
    ]


@pytest.mark.parametrize(
    ("resource", "pools", "is_offered"),
    [
        ("nvidia.com/gpu", [a_pool()], True),
        ("nvidia.com/gpu", [a_shared_pool()], True),
        ("nvidia.com/gpu", [a_slice_pool()], False),
        ("nvidia.com/mig-1g.10gb", [a_slice_pool()], True),
        ("nvidia.com/mig-1g.5gb", [a_slice_pool()], False),
        ("requests.nvidia.com/gpu", [a_pool()], False),
        ("cpu", [a_pool()], False),
        ("aws.amazon.com/neuron", [a_pool()], False),
    ],
)
def test_a_quota_counts_only_what_some_pool_offers(resource: str, pools: list[Plain], is_offered: bool) -> None:
    namespace = a_namespace()
    namespace["quota"] = {resource: 1}
    expected = [] if is_offered else [(f".quota[{resource}]", "1 of a resource that no pool offers")]
    assert said(namespace, pools=pools) == expected


def test_a_neuron_pool_offers_neuron_devices() -> None:
    namespace = a_namespace(quota={"aws.amazon.com/neuron": 2})
    assert said(namespace, neuron_pools=[NEURON]) == []


def test_priorities_are_the_standards() -> None:
    assert said(a_namespace(priorities=["training-normal", "experiment-low"])) == []
    assert said(a_namespace(priorities=["training-normal", "system-node-critical"])) == [
        (".priorities", "system-node-critical")
    ]


def test_a_team_has_groups_of_its_own() -> None:
    raw = settings_object(tenants=[a_tenant(groups=["system:masters", "ours"])])
    (fault,) = examine(raw).faults
    assert (fault.path, fault.given) == ("tenants[serving].groups", "system:masters")


def test_a_service_account_does_not_take_the_name_of_the_teams_own_role() -> None:
    assert said(a_namespace(service_account="serving-team")) == [(".service_account", "serving-team")]
    assert said(a_namespace(service_account="serving-account")) == []
