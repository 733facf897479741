import pytest

from gpuplatform.accept import examine
from gpuplatform.settings.source import Plain
from tests.builders import ZONES_WITH_IDS, paths, settings_object

EXISTING: dict[str, Plain] = {
    "vpc_id": "vpc-0123456789abcdef0",
    "private_subnets": [
        {"id": "subnet-0123456789abcdef0", "zone": ZONES_WITH_IDS[0]},
        {"id": "subnet-0123456789abcdef1", "zone": ZONES_WITH_IDS[1]},
    ],
}


def faults(network: dict[str, Plain], **others: Plain) -> list[str]:
    raw = settings_object(**others)
    raw["network"] = network
    return paths(examine(raw).faults)


def new(**overrides: Plain) -> dict[str, Plain]:
    return {"new": {"cidr": "10.0.0.0/16", "zones": list(ZONES_WITH_IDS), **overrides}}


def test_exactly_one_of_new_and_existing_is_given() -> None:
    assert faults(new()) == []
    assert faults({"existing": EXISTING}) == []
    assert faults({}) == ["network"]
    assert faults({**new(), "existing": EXISTING}) == ["network"]


def test_two_networks_do_not_hide_what_is_wrong_with_the_new_one() -> None:
    assert faults({**new(cidr="10.0.0.0/8"), "existing": EXISTING}) == ["network", "network.new.cidr"]


def test_existing_subnets_are_in_two_zones_at_least() -> None:
    subnets: list[Plain] = [{"id": f"subnet-0123456789abcdef{n}", "zone": ZONES_WITH_IDS[0]} for n in range(2)]
    assert faults({"existing": {**EXISTING, "private_subnets": subnets}}) == ["network.existing.private_subnets"]


def test_an_existing_subnet_is_named_once_and_a_zone_may_have_several() -> None:
    subnets: list[Plain] = [
        {"id": "subnet-0123456789abcdef0", "zone": ZONES_WITH_IDS[0]},
        {"id": "subnet-0123456789abcdef1", "zone": ZONES_WITH_IDS[1]},
        {"id": "subnet-0123456789abcdef2", "zone": ZONES_WITH_IDS[1]},
    ]
    assert faults({"existing": {**EXISTING, "private_subnets": subnets}}) == []
    subnets.append(subnets[0])
    assert faults({"existing": {**EXISTING, "private_subnets": subnets}}) == ["network.existing.private_subnets"]


@pytest.mark.parametrize(
    ("services", "given"),
    [
        (["ec2", "sts"], []),
        (["ec2", "sts", "ec2"], ["ec2 twice"]),
        (["ecr.api", "ecr-api"], ["ecr.api and ecr-api, which name the same endpoint"]),
        (["s3"], ["s3"]),
        (["s3", "ec2", "s3"], ["s3"]),
        (["ecc2", "ecc2"], ["ecc2 twice"]),
    ],
)
def test_an_endpoint_that_would_be_made_twice_is_refused_with_one_fault(
    services: list[Plain], given: list[str]
) -> None:
    raw = settings_object(network=new(interface_endpoints=services))
    assert [fault.given for fault in examine(raw).faults] == given
    assert (examine(raw).settings is None) == bool(given)


@pytest.mark.parametrize(
    ("cidr", "is_fault"), [("10.0.0.0/15", True), ("10.0.0.0/16", False), ("10.0.0.0/20", False), ("10.0.0.0/21", True)]
)
def test_a_network_is_neither_too_large_nor_too_small(cidr: str, is_fault: bool) -> None:
    assert faults(new(cidr=cidr)) == (["network.new.cidr"] if is_fault else [])


@pytest.mark.parametrize(
    ("network", "service_cidr", "path"),
    [
        (new(pod_cidr="10.0.128.0/17"), "172.20.0.0/16", "network.new.pod_cidr"),
        (new(cidr="172.20.0.0/16"), "172.20.0.0/16", "cluster.service_cidr"),
        (new(cidr="172.20.0.0/20"), "172.20.0.0/16", "cluster.service_cidr"),
        (new(pod_cidr="172.20.0.0/17"), "172.20.0.0/16", "cluster.service_cidr"),
        (new(pod_cidr="100.64.0.0/16"), "172.20.0.0/16", None),
    ],
)
def test_networks_pods_and_services_do_not_overlap(
    network: dict[str, Plain], service_cidr: str, path: str | None
) -> None:
    assert faults(network, cluster={"service_cidr": service_cidr}) == ([] if path is None else [path])
