from __future__ import annotations

from collections.abc import Mapping

import pytest

from gpuplatform.settings.source import Plain
from gpuplatform.standard import keys
from tests.builders import ZONES
from tests.recorder import Recording, record
from tests.unit.components.builders import full_settings, network

EXISTING: dict[str, Plain] = {
    "vpc_id": "vpc-0123456789abcdef0",
    "private_subnets": [
        {"id": "subnet-0123456789abcdef0", "zone": ZONES[0]},
        {"id": "subnet-0123456789abcdef1", "zone": ZONES[1]},
    ],
}


def new_network(**more: Plain) -> Recording:
    settings = full_settings(network={"new": {"cidr": "10.0.0.0/16", "zones": list(ZONES), **more}})
    return record(lambda: network("net", settings))


def existing_network() -> Recording:
    settings = full_settings()
    adopted = settings.network.model_validate({"existing": EXISTING})
    return record(lambda: network("net", settings.model_copy(update={"network": adopted})))


def tags(inputs: Mapping[str, object]) -> Mapping[str, str]:
    subnet_tags = inputs["tags"]
    assert isinstance(subnet_tags, dict)
    return {str(key): str(value) for key, value in subnet_tags.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]


def test_an_existing_network_is_left_as_it_is() -> None:
    # Another cluster may stand on the same subnets, and a tag has one value.
    recording = existing_network()
    (made,) = recording.resources
    assert recording.outputs[made.urn] == {
        "vpc_id": "vpc-0123456789abcdef0",
        "private_subnet_ids": ["subnet-0123456789abcdef0", "subnet-0123456789abcdef1"],
    }


@pytest.mark.parametrize(("nat", "zones"), [("single", ZONES[:1]), ("per-zone", ZONES)])
def test_there_is_one_nat_gateway_or_one_in_each_zone(nat: str, zones: tuple[str, ...]) -> None:
    made = new_network(nat=nat)
    assert [registered.name for registered in made.of("NatGateway")] == [f"net-nat-{zone}" for zone in zones]
    assert len(made.of("Eip")) == len(zones)


@pytest.mark.parametrize(
    ("nat", "gateway"), [("single", dict.fromkeys(ZONES, ZONES[0])), ("per-zone", {z: z for z in ZONES})]
)
def test_a_private_subnet_leaves_by_the_gateway_of_its_zone_where_there_is_one(
    nat: str, gateway: dict[str, str]
) -> None:
    made = new_network(nat=nat)
    for zone, through in gateway.items():
        route = made.named(f"net-private-{zone}-nat")
        assert route.inputs["natGatewayId"] == f"net-nat-{through}-id"
        assert route.inputs["routeTableId"] == f"net-private-{zone}-id"
        association = made.named(f"net-private-{zone}", "RouteTableAssociation")
        assert association.inputs["routeTableId"] == f"net-private-{zone}-id"


def test_only_private_subnets_are_found_by_karpenter() -> None:
    subnets = new_network(pod_cidr="100.64.0.0/16").of("Subnet")
    tagged = [subnet.name for subnet in subnets if keys.DISCOVERY in tags(subnet.inputs)]
    assert tagged == [f"net-private-{zone}" for zone in ZONES]


def test_no_subnet_gives_a_public_address() -> None:
    assert not any(registered.inputs.get("mapPublicIpOnLaunch") for registered in new_network().of("Subnet"))


def test_pods_have_subnets_of_their_own_only_where_the_settings_give_them_a_network() -> None:
    assert new_network().of("VpcIpv4CidrBlockAssociation") == []
    made = new_network(pod_cidr="100.64.0.0/16")
    (secondary,) = made.of("VpcIpv4CidrBlockAssociation")
    pods = [registered for registered in made.of("Subnet") if registered.name.startswith("net-pods-")]
    assert len(pods) == len(ZONES)
    assert all(secondary.urn in pod.depends_on for pod in pods)


def test_s3_is_reached_inside_the_network_from_every_private_subnet() -> None:
    s3 = new_network(interface_endpoints=[]).named("net-s3")
    assert s3.inputs["serviceName"] == "com.amazonaws.us-east-1.s3"
    assert s3.inputs["routeTableIds"] == [f"net-private-{zone}-id" for zone in ZONES]


@pytest.mark.parametrize(
    ("more", "networks"),
    [({}, ["10.0.0.0/16"]), ({"pod_cidr": "100.64.0.0/16"}, ["10.0.0.0/16", "100.64.0.0/16"])],
)
def test_endpoints_take_https_from_every_network_of_the_vpc_and_from_no_other(
    more: dict[str, Plain], networks: list[str]
) -> None:
    rules = new_network(interface_endpoints=["ec2"], **more).of("SecurityGroupIngressRule")
    assert [rule.inputs["cidrIpv4"] for rule in rules] == networks
    assert {(rule.inputs["fromPort"], rule.inputs["toPort"], rule.inputs["ipProtocol"]) for rule in rules} == {
        (443, 443, "tcp")
    }


def test_interface_endpoints_and_their_group_are_made_for_the_services_that_are_named() -> None:
    made = new_network(interface_endpoints=["ec2", "ecr.api"])
    assert {registered.name for registered in made.of("VpcEndpoint")} == {"net-s3", "net-ec2", "net-ecr-api"}
    assert new_network(interface_endpoints=[]).of("SecurityGroup") == []


@pytest.mark.parametrize("nat", ["single", "per-zone"])
def test_nat_gateways_and_their_addresses_wait_for_the_internet_gateway(nat: str) -> None:
    made = new_network(nat=nat)
    (internet,) = made.of("InternetGateway")
    waiting = [*made.of("NatGateway"), *made.of("Eip")]
    assert [registered.name for registered in waiting if internet.urn not in registered.depends_on] == []
