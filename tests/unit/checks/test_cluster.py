import pytest

from gpuplatform.accept import examine
from gpuplatform.faults import Severity
from gpuplatform.settings.source import Plain
from gpuplatform.standard.versions import KUBERNETES_SUPPORTED
from tests.builders import a_pool, a_shared_pool, a_slice_pool, a_static_pool, paths, settings_object

ROLE = "arn:aws:iam::111122223333:role"
ADMIN: dict[str, Plain] = {"name": "admins", "principal_arn": f"{ROLE}/a", "level": "admin"}


def faults(**cluster: Plain) -> list[str]:
    return paths(examine(settings_object(cluster=cluster)).faults)


@pytest.mark.parametrize("version", KUBERNETES_SUPPORTED)
def test_every_supported_version_is_accepted(version: str) -> None:
    assert faults(version=version) == []


@pytest.mark.parametrize("version", ["1.20", "1.99", "latest", ""])
def test_another_version_is_refused_with_those_that_are_supported(version: str) -> None:
    (fault,) = examine(settings_object(cluster={"version": version})).faults
    assert fault.path == "cluster.version"
    assert all(minor in fault.allowed for minor in KUBERNETES_SUPPORTED)


@pytest.mark.parametrize(
    ("endpoint", "is_fault"),
    [
        ({"access": "private"}, False),
        ({"access": "private", "public_cidrs": ["203.0.113.0/24"]}, True),
        ({"access": "public"}, True),
        ({"access": "public", "public_cidrs": ["203.0.113.0/24"]}, False),
        ({"access": "public", "public_cidrs": ["0.0.0.0/0"]}, True),
        ({"access": "public", "public_cidrs": ["203.0.113.0/24", "0.0.0.0/0"]}, True),
        ({"access": "public", "public_cidrs": ["0.0.0.0/1", "128.0.0.0/1"]}, True),
        ({"access": "public", "public_cidrs": ["0.0.0.0/1", "128.0.0.0/2", "192.0.0.0/2"]}, True),
        ({"access": "public", "public_cidrs": ["0.0.0.0/1", "128.0.0.0/2"]}, False),
    ],
    ids=str,
)
def test_a_public_endpoint_is_open_to_named_networks_and_a_private_one_to_none(endpoint: Plain, is_fault: bool) -> None:
    assert faults(endpoint=endpoint) == (["cluster.endpoint.public_cidrs"] if is_fault else [])


@pytest.mark.parametrize(
    ("level", "groups", "is_fault"),
    [
        ("groups", ["ml-research"], False),
        ("groups", [], True),
        ("reader", ["ml-research"], True),
        ("admin", [], False),
        ("groups", ["system:masters"], True),
    ],
)
def test_an_access_entry_has_groups_of_its_own_exactly_with_the_level_groups(
    level: str, groups: list[Plain], is_fault: bool
) -> None:
    entry: Plain = {**ADMIN, "name": "other", "principal_arn": f"{ROLE}/b", "level": level, "groups": groups}
    assert faults(access_entries=[ADMIN, entry]) == (["cluster.access_entries[other].groups"] if is_fault else [])


def test_a_principal_stands_in_one_entry() -> None:
    (fault,) = examine(settings_object(cluster={"access_entries": [ADMIN, {**ADMIN, "name": "again"}]})).faults
    assert fault.path == "cluster.access_entries[again].principal_arn"
    assert "admins has it too" in fault.allowed


@pytest.mark.parametrize("groups", [[""], [" "], ["a "], ["\n"]])
def test_a_group_has_a_name(groups: list[Plain]) -> None:
    entry: Plain = {**ADMIN, "name": "other", "principal_arn": f"{ROLE}/b", "level": "groups", "groups": groups}
    assert faults(access_entries=[ADMIN, entry]) == ["cluster.access_entries[other].groups[0]"]


@pytest.mark.parametrize(
    ("cidr", "is_fault"),
    [
        ("10.0.0.0/12", False),
        ("192.168.7.0/24", False),
        ("172.16.0.0/12", False),
        ("172.0.0.0/12", True),
        ("8.8.0.0/16", True),
        ("192.168.7.0/25", True),
        ("10.0.0.0/11", True),
    ],
)
def test_services_have_private_addresses_of_a_size_that_eks_takes(cidr: str, is_fault: bool) -> None:
    # The network is elsewhere, so that nothing overlaps.
    network: Plain = {"new": {"cidr": "10.200.0.0/16"}}
    fault_paths = paths(examine(settings_object(network=network, cluster={"service_cidr": cidr})).faults)
    assert fault_paths == (["cluster.service_cidr"] if is_fault else [])


@pytest.mark.parametrize(("days", "is_fault"), [(90, False), (3653, False), (91, True), (0, True), (3652, True)])
def test_logs_are_kept_for_a_time_that_cloudwatch_knows(days: int, is_fault: bool) -> None:
    assert faults(log_retention_days=days) == (["cluster.log_retention_days"] if is_fault else [])


@pytest.mark.parametrize(
    ("pool", "gate", "path"),
    [
        (a_static_pool(), "static_capacity", "pools[chief].nodes"),
        (a_slice_pool(), "node_overlay", "pools[worker].sharing"),
        (a_shared_pool(), "node_overlay", "pools[notebook].sharing"),
    ],
)
def test_a_pool_that_needs_a_gate_says_so_when_it_is_off(pool: dict[str, Plain], gate: str, path: str) -> None:
    assert paths(examine(settings_object(pools=[pool])).faults) == []
    (fault,) = examine(settings_object(pools=[pool], feature_gates={gate: False})).faults
    assert fault.path == path
    assert f"feature_gates.{gate}: true" in fault.allowed


def test_pools_that_need_no_gate_are_fine_without() -> None:
    off: Plain = {"static_capacity": False, "node_overlay": False}
    assert examine(settings_object(pools=[a_pool()], feature_gates=off)).faults == ()


def test_without_its_creator_a_cluster_is_warned_of_an_entry_that_aws_would_refuse() -> None:
    (fault,) = examine(settings_object(cluster={"creator_arn": None})).faults
    assert fault.path == "cluster.creator_arn"
    assert fault.severity is Severity.WARNING
    assert "ResourceInUseException" in fault.allowed


def test_the_clusters_creator_has_no_access_entry() -> None:
    (fault,) = examine(settings_object(cluster={"creator_arn": f"{ROLE}/admin"})).faults
    assert fault.path == "cluster.access_entries[admins].principal_arn"
    assert fault.severity is Severity.ERROR
    assert "creator" in fault.given
