from __future__ import annotations

import re
from pathlib import Path

import pytest

from sandbox.cloud import aws
from sandbox.cloud.aws import Account, account_of
from sandbox.cloud.input_validation import RefusedError
from sandbox.cloud.references import at_path
from sandbox.cloud.store import Entry, Properties, Store

AT = Account("us-east-1", "111122223333", frozenset({"vpc-0given00000000000"}), {"project": "p"})
VPC, SUBNET, ROLE = "aws:ec2/vpc:Vpc", "aws:ec2/subnet:Subnet", "aws:iam/role:Role"
NODE_GROUP = "aws:eks/nodeGroup:NodeGroup"
NAT, INTERNET_GATEWAY = "aws:ec2/natGateway:NatGateway", "aws:ec2/internetGateway:InternetGateway"
CLUSTER, ATTACHMENT = "aws:eks/cluster:Cluster", "aws:iam/rolePolicyAttachment:RolePolicyAttachment"


@pytest.fixture
def world(tmp_path: Path) -> Store:
    return Store(tmp_path / "world.db")


def make(world: Store, token: str, name: str, inputs: Properties) -> Entry:
    return aws.create(world, f"urn:pulumi:s::p::{token}::{name}", token, inputs, AT)


def cluster(world: Store, protected: bool = False) -> Entry:
    vpc = make(world, VPC, "vpc", {"cidrBlock": "10.0.0.0/16"})
    subnets = [make(world, SUBNET, f"s{index}", {"vpcId": vpc.id}) for index in range(2)]
    role = make(world, ROLE, "role", {"name": "r", "assumeRolePolicy": "{}"})
    network: Properties = {"subnetIds": [subnet.id for subnet in subnets]}
    inputs: Properties = {"name": "c", "roleArn": role.outputs["arn"], "vpcConfig": network}
    return make(world, CLUSTER, "c", {**inputs, "deletionProtection": protected})


def test_ids_look_real_and_are_the_same_on_every_machine(world: Store, tmp_path: Path) -> None:
    made = make(world, VPC, "vpc", {"cidrBlock": "10.0.0.0/16"})
    assert re.fullmatch(r"vpc-[0-9a-f]{17}", made.id)
    assert made.outputs["arn"] == f"arn:aws:ec2:us-east-1:111122223333:vpc/{made.id}"
    elsewhere = Store(tmp_path / "other.db")
    assert make(elsewhere, VPC, "vpc", {"cidrBlock": "10.0.0.0/16"}).id == made.id


def test_what_is_made_again_has_another_id(world: Store) -> None:
    first = make(world, VPC, "vpc", {"cidrBlock": "10.0.0.0/16"})
    assert make(world, VPC, "vpc", {"cidrBlock": "10.1.0.0/16"}).id != first.id


def test_the_providers_tags_are_under_the_resources_own(world: Store) -> None:
    made = make(world, VPC, "vpc", {"tags": {"Name": "n", "project": "mine"}})
    assert made.outputs["tagsAll"] == {"Name": "n", "project": "mine"}
    assert make(world, VPC, "bare", {}).outputs["tagsAll"] == {"project": "p"}


def test_a_cluster_has_all_that_a_kubeconfig_and_an_identity_provider_need(world: Store) -> None:
    made = cluster(world)
    assert str(made.outputs["endpoint"]).startswith("https://")
    assert "clusterSecurityGroupId" in str(made.outputs["vpcConfig"])
    assert "oidc.eks.us-east-1.amazonaws.com/id/" in str(made.outputs["identities"])


def test_a_change_keeps_the_id_and_counts_a_templates_versions(world: Store) -> None:
    made = make(world, "aws:ec2/launchTemplate:LaunchTemplate", "t", {"name": "t"})
    changed = aws.update(world, made, {"name": "t", "imageId": "ami-1"}, AT)
    assert (changed.id, changed.outputs["latestVersion"]) == (made.id, 2)


@pytest.mark.parametrize(
    ("token", "inputs", "refusal"),
    [
        (SUBNET, {"vpcId": "vpc-00000000000000000"}, r"InvalidVpcID\.NotFound"),
        (SUBNET, {"vpcId": "whatever"}, r"InvalidVpcID\.NotFound"),
        (ATTACHMENT, {"role": "nobody", "policyArn": "arn:aws:iam::aws:policy/X"}, "NoSuchEntity: The role 'nobody'"),
        (CLUSTER, {"name": "c", "roleArn": "r", "vpcConfig": {"subnetIds": []}}, "'r' is not an ARN"),
        ("aws:eks/addon:Addon", {"clusterName": "c", "addonName": "a"}, "ResourceNotFoundException: The cluster 'c'"),
    ],
)
def test_an_input_that_names_nothing_is_refused_in_awss_words(
    world: Store, token: str, inputs: Properties, refusal: str
) -> None:
    with pytest.raises(RefusedError, match=refusal):
        make(world, token, "x", inputs)
    assert world.everything() == ()


def test_an_id_of_another_kind_does_not_do(world: Store) -> None:
    role = make(world, ROLE, "role", {"name": "c", "assumeRolePolicy": "{}"})
    with pytest.raises(RefusedError, match="The cluster 'c' does not exist"):
        make(world, "aws:eks/addon:Addon", "a", {"clusterName": role.id, "addonName": "a"})


def test_what_the_account_holds_already_may_be_named(world: Store) -> None:
    assert make(world, SUBNET, "s", {"vpcId": "vpc-0given00000000000"}).id


def test_a_chosen_name_is_taken_once(world: Store) -> None:
    make(world, ROLE, "one", {"name": "r", "assumeRolePolicy": "{}"})
    with pytest.raises(RefusedError, match="already exists"):
        make(world, ROLE, "two", {"name": "r", "assumeRolePolicy": "{}"})


def test_a_names_beginning_makes_a_name_of_its_own_each_time(world: Store) -> None:
    made = cluster(world)
    role = world.find(ROLE, "r")
    assert role is not None
    inputs: Properties = {
        "clusterName": "c",
        "nodeGroupNamePrefix": "system-",
        "nodeRoleArn": role.outputs["arn"],
        "subnetIds": [next(at_path(made.inputs, "vpcConfig.subnetIds"))],
    }
    first, second = (make(world, NODE_GROUP, "nodes", inputs) for _ in range(2))
    assert str(first.outputs["nodeGroupName"]).startswith("system-")
    assert first.id == f"c:{first.outputs['nodeGroupName']}"
    assert first.id != second.id


def test_a_chosen_name_is_freed_before_it_is_made_anew_even_where_it_changes() -> None:
    assert aws.has_chosen_name(NODE_GROUP, {"nodeGroupName": "n"})
    assert not aws.has_chosen_name(NODE_GROUP, {"nodeGroupNamePrefix": "n"})
    assert aws.has_chosen_name(ROLE, {"name": "r"})


def test_a_group_is_made_anew_for_another_template_and_not_for_its_next_version() -> None:
    old, newer, other = (
        Properties({"launchTemplate": {"id": id_, "version": version}})
        for id_, version in (("lt-1", "1"), ("lt-1", "2"), ("lt-2", "1"))
    )
    assert aws.replaces(NODE_GROUP, old, newer, {"launchTemplate"}) == set()
    assert aws.replaces(NODE_GROUP, old, other, {"launchTemplate"}) == {"launchTemplate"}


def test_what_is_still_used_is_not_deleted_and_its_users_are_named(world: Store) -> None:
    vpc = make(world, VPC, "vpc", {})
    subnet = make(world, SUBNET, "inside", {"vpcId": vpc.id})
    with pytest.raises(RefusedError, match=r"DependencyViolation: .*inside"):
        aws.delete(world, vpc)
    aws.delete(world, subnet)
    aws.delete(world, vpc)
    assert world.everything() == ()


def test_a_nat_gateway_needs_the_internet_gateway_and_keeps_it(world: Store) -> None:
    vpc = make(world, VPC, "vpc", {})
    subnet = make(world, SUBNET, "public", {"vpcId": vpc.id})
    address = make(world, "aws:ec2/eip:Eip", "address", {"domain": "vpc"})
    nat: Properties = {"subnetId": subnet.id, "allocationId": address.id}
    with pytest.raises(RefusedError, match=rf"Gateway\.NotAttached: Network {vpc.id} has no Internet gateway attached"):
        make(world, NAT, "nat", nat)
    assert make(world, NAT, "inside", {**nat, "connectivityType": "private"}).id
    elsewhere = make(world, INTERNET_GATEWAY, "elsewhere", {"vpcId": make(world, VPC, "other", {}).id})
    with pytest.raises(RefusedError, match=r"Gateway\.NotAttached"):
        make(world, NAT, "nat", nat)
    internet = make(world, INTERNET_GATEWAY, "internet", {"vpcId": vpc.id})
    made = make(world, NAT, "nat", nat)
    with pytest.raises(RefusedError, match=r"DependencyViolation: .*nat"):
        aws.delete(world, internet)
    aws.delete(world, elsewhere)
    aws.delete(world, made)
    aws.delete(world, internet)


def test_an_account_has_its_service_linked_role_once_under_the_name_that_aws_gives_it(world: Store) -> None:
    token = "aws:iam/serviceLinkedRole:ServiceLinkedRole"
    spot: Properties = {"awsServiceName": "spot.amazonaws.com"}
    role = make(world, token, "spot", spot)
    path = "role/aws-service-role/spot.amazonaws.com/AWSServiceRoleForEC2Spot"
    assert role.id == role.outputs["arn"] == f"arn:aws:iam::111122223333:{path}"
    with pytest.raises(RefusedError, match=r"InvalidInput: .*AWSServiceRoleForEC2Spot has been taken"):
        make(world, token, "again", spot)
    with pytest.raises(RefusedError, match="Custom suffix is not allowed"):
        make(world, token, "other", {**spot, "customSuffix": "x"})
    with pytest.raises(RefusedError, match=r"not ecs\.amazonaws\.com"):
        make(world, token, "ecs", {"awsServiceName": "ecs.amazonaws.com"})


def test_a_role_with_attachments_is_not_deleted(world: Store) -> None:
    role = make(world, ROLE, "role", {"name": "r", "assumeRolePolicy": "{}"})
    make(world, ATTACHMENT, "attached", {"role": "r", "policyArn": "arn:aws:iam::aws:policy/X"})
    with pytest.raises(RefusedError, match=r"DeleteConflict: .*attached"):
        aws.delete(world, role)


def test_a_cluster_takes_its_registrations_along_but_not_its_nodes(world: Store) -> None:
    made = cluster(world)
    make(world, "aws:eks/addon:Addon", "addon", {"clusterName": "c", "addonName": "a"})
    role = world.find(ROLE, "r")
    assert role is not None
    subnets: Properties = {"subnetIds": [next(at_path(made.inputs, "vpcConfig.subnetIds"))]}
    group = make(
        world,
        "aws:eks/nodeGroup:NodeGroup",
        "nodes",
        {"clusterName": "c", "nodeGroupName": "n", "nodeRoleArn": role.outputs["arn"], **subnets},
    )
    with pytest.raises(RefusedError, match=r"ResourceInUseException: .*nodes"):
        aws.delete(world, made)
    aws.delete(world, group)
    aws.delete(world, made)


def test_deletion_protection_refuses_and_says_the_way_out(world: Store) -> None:
    made = cluster(world, protected=True)
    with pytest.raises(RefusedError, match=r"InvalidRequestException: .*deletion protection"):
        aws.delete(world, made)
    aws.delete(world, aws.update(world, made, {**made.inputs, "deletionProtection": False}, AT))


class Inside:
    """A cluster that accepts, or refuses, the changes of EKS in it."""

    def __init__(self, refusal: str | None = None) -> None:
        self.refusal = refusal
        self.made: list[str] = []
        self.removed: list[str] = []

    def make(self, entry: Entry) -> None:
        if self.refusal:
            raise RefusedError(self.refusal)
        self.made.append(entry.id)

    def remove(self, entry: Entry) -> None:
        self.removed.append(entry.id)


def test_what_a_resource_stands_for_in_the_cluster_is_made_changed_and_removed_with_it(world: Store) -> None:
    inside, urn = Inside(), f"urn:pulumi:s::p::{VPC}::vpc"
    entry = aws.create(world, urn, VPC, {"cidrBlock": "10.0.0.0/16"}, AT, inside)
    aws.update(world, entry, {"cidrBlock": "10.0.0.0/16", "tags": {"a": "b"}}, AT, inside)
    aws.delete(world, entry, inside)
    assert inside.made == [entry.id, entry.id]
    assert inside.removed == [entry.id]


def test_what_the_cluster_refuses_was_never_made(world: Store) -> None:
    urn = f"urn:pulumi:s::p::{VPC}::vpc"
    with pytest.raises(RefusedError, match="no node"):
        aws.create(world, urn, VPC, {"cidrBlock": "10.0.0.0/16"}, AT, Inside("a pod has no node"))
    assert world.everything() == ()


def test_what_is_still_used_stays_in_the_cluster_too(world: Store) -> None:
    inside, vpc = Inside(), make(world, VPC, "vpc", {})
    make(world, SUBNET, "inside", {"vpcId": vpc.id})
    with pytest.raises(RefusedError, match="DependencyViolation"):
        aws.delete(world, vpc, inside)
    assert inside.removed == []


def test_a_provider_without_a_region_is_refused() -> None:
    with pytest.raises(RefusedError, match="region"):
        account_of({}, frozenset())


def test_a_providers_configuration_travels_as_json() -> None:
    config = {
        "region": "eu-west-1",
        "allowedAccountIds": '["444455556666"]',
        "defaultTags": '{"tags": {"team": "ml"}}',
    }
    assert account_of(config, frozenset()) == Account("eu-west-1", "444455556666", frozenset(), {"team": "ml"})


def test_a_cluster_takes_along_what_is_in_it_and_not_what_karpenter_bought(world: Store) -> None:
    made = cluster(world)
    inside = {
        "kubernetes:helm.sh/v3:Release": "kueue",
        "kubernetes:core/v1:Namespace": "kueue-system",
        "kubernetes:karpenter.sh/v1:NodePool": "pool",
    }
    for token, name in inside.items():
        world.create(Entry(f"urn:{name}", token, name, {}, {}), set(), set())
    aws.delete(world, made)
    assert [entry.id for entry in world.of_kind("kubernetes:")] == ["pool"]
