"""Resources that need other resources: each must name an existing one, which is not deleted while it is in use.

No input names a VPC's internet gateway, which a public NAT gateway needs: ``missing_internet_gateway`` finds it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from sandbox.cloud.store import Entry, Plain, Properties, Store

_VPC, _SUBNET, _GROUP = "aws:ec2/vpc:Vpc", "aws:ec2/subnet:Subnet", "aws:ec2/securityGroup:SecurityGroup"
_TABLE, INTERNET_GATEWAY = "aws:ec2/routeTable:RouteTable", "aws:ec2/internetGateway:InternetGateway"
_NAT, _EIP, _TEMPLATE = "aws:ec2/natGateway:NatGateway", "aws:ec2/eip:Eip", "aws:ec2/launchTemplate:LaunchTemplate"
_ROLE, _POLICY, _KEY = "aws:iam/role:Role", "aws:iam/policy:Policy", "aws:kms/key:Key"
_CLUSTER, _QUEUE, _RULE = "aws:eks/cluster:Cluster", "aws:sqs/queue:Queue", "aws:cloudwatch/eventRule:EventRule"
_ENTRY = "aws:eks/accessEntry:AccessEntry"

_OF_AWS = re.compile(r"^arn:aws[a-z-]*:(iam|eks)::aws:")
"""Policies that AWS manages in every account."""
_GIVEN = re.compile(
    r"\b(?:vpc|subnet|sg|rtb|igw|nat|eipalloc|lt)-[0-9a-f]{8,17}\b|arn:aws[a-z-]*:[a-z0-9-]+:[^\s\"',\]}]*"
)


@dataclass(frozen=True, slots=True)
class Reference:
    """An input that names another resource."""

    path: str
    types: tuple[str, ...]
    """The named resource is of one of these types."""
    by_arn: bool = False
    """Whether the input is an ARN, not an id."""
    holds: bool = True
    """Whether AWS refuses to delete the named resource while this resource exists."""


_IN_VPC = Reference("vpcId", (_VPC,))
# A cluster can be named by the id of the security group that EKS makes for it.
_GROUPS = (_GROUP, _CLUSTER)
# EKS deletes a cluster together with its registrations, and refuses to delete one that has node groups.
_OF_CLUSTER = Reference("clusterName", (_CLUSTER,), holds=False)
_TAKES_ROLE = Reference("roleArn", (_ROLE,), by_arn=True, holds=False)
_OF_GROUP = Reference("securityGroupId", _GROUPS, holds=False)
_TAGGED = (*_GROUPS, _VPC, _SUBNET, _TABLE, INTERNET_GATEWAY, _NAT, _EIP, _TEMPLATE)

REFERENCES: Mapping[str, tuple[Reference, ...]] = {
    _SUBNET: (_IN_VPC,),
    INTERNET_GATEWAY: (_IN_VPC,),
    _NAT: (Reference("subnetId", (_SUBNET,)), Reference("allocationId", (_EIP,))),
    _TABLE: (_IN_VPC,),
    "aws:ec2/route:Route": (
        Reference("routeTableId", (_TABLE,), holds=False),
        Reference("gatewayId", (INTERNET_GATEWAY,), holds=False),
        Reference("natGatewayId", (_NAT,), holds=False),
    ),
    "aws:ec2/routeTableAssociation:RouteTableAssociation": (
        Reference("routeTableId", (_TABLE,)),
        Reference("subnetId", (_SUBNET,), holds=False),
    ),
    "aws:ec2/vpcEndpoint:VpcEndpoint": (
        _IN_VPC,
        Reference("subnetIds", (_SUBNET,)),
        Reference("securityGroupIds", _GROUPS),
        Reference("routeTableIds", (_TABLE,), holds=False),
    ),
    _GROUP: (_IN_VPC,),
    "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule": (
        _OF_GROUP,
        Reference("referencedSecurityGroupId", _GROUPS),
    ),
    "aws:ec2/vpcIpv4CidrBlockAssociation:VpcIpv4CidrBlockAssociation": (_IN_VPC,),
    "aws:ec2/tag:Tag": (Reference("resourceId", _TAGGED, holds=False),),
    _TEMPLATE: (Reference("vpcSecurityGroupIds", _GROUPS, holds=False),),
    _CLUSTER: (
        _TAKES_ROLE,
        Reference("vpcConfig.subnetIds", (_SUBNET,)),
        Reference("vpcConfig.securityGroupIds", _GROUPS),
        Reference("encryptionConfig.provider.keyArn", (_KEY,), by_arn=True, holds=False),
    ),
    "aws:eks/addon:Addon": (_OF_CLUSTER, Reference("serviceAccountRoleArn", (_ROLE,), by_arn=True, holds=False)),
    "aws:eks/nodeGroup:NodeGroup": (
        Reference("clusterName", (_CLUSTER,)),
        Reference("nodeRoleArn", (_ROLE,), by_arn=True, holds=False),
        Reference("subnetIds", (_SUBNET,)),
        Reference("launchTemplate.id", (_TEMPLATE,), holds=False),
    ),
    _ENTRY: (_OF_CLUSTER, Reference("principalArn", (_ROLE,), by_arn=True, holds=False)),
    "aws:eks/accessPolicyAssociation:AccessPolicyAssociation": (
        _OF_CLUSTER,
        Reference("principalArn", (_ENTRY,), by_arn=True, holds=False),
    ),
    "aws:eks/podIdentityAssociation:PodIdentityAssociation": (_OF_CLUSTER, _TAKES_ROLE),
    "aws:iam/rolePolicyAttachment:RolePolicyAttachment": (
        Reference("role", (_ROLE,)),
        Reference("policyArn", (_POLICY,), by_arn=True),
    ),
    "aws:kms/alias:Alias": (Reference("targetKeyId", (_KEY,), holds=False),),
    "aws:cloudwatch/logGroup:LogGroup": (Reference("kmsKeyId", (_KEY,), by_arn=True, holds=False),),
    "aws:cloudwatch/eventTarget:EventTarget": (
        Reference("rule", (_RULE,)),
        Reference("arn", (_QUEUE,), by_arn=True, holds=False),
    ),
    "aws:sqs/queuePolicy:QueuePolicy": (Reference("queueUrl", (_QUEUE,), holds=False),),
}
"""The inputs of each type that name other resources; a type without a row has none."""

_ABSENT = {
    _VPC: "InvalidVpcID.NotFound: The vpc ID",
    _SUBNET: "InvalidSubnetID.NotFound: The subnet ID",
    _GROUP: "InvalidGroup.NotFound: The security group",
    _TABLE: "InvalidRouteTableID.NotFound: The routeTable ID",
    INTERNET_GATEWAY: "InvalidInternetGatewayID.NotFound: The internetGateway ID",
    _NAT: "InvalidNatGatewayID.NotFound: The natGateway ID",
    _EIP: "InvalidAllocationID.NotFound: The allocation ID",
    _TEMPLATE: "InvalidLaunchTemplateId.NotFound: The launch template",
    _ROLE: "NoSuchEntity: The role",
    _POLICY: "NoSuchEntity: The policy",
    _KEY: "NotFoundException: The key",
    _CLUSTER: "ResourceNotFoundException: The cluster",
    _ENTRY: "ResourceNotFoundException: The access entry of",
    _QUEUE: "QueueDoesNotExist: The queue",
    _RULE: "ResourceNotFoundException: The rule",
}


def names_in_settings(stack_file: Path) -> frozenset[str]:
    """Ids and ARNs in the stack's settings: they exist in the account before the stack makes anything."""
    return frozenset(_GIVEN.findall(stack_file.read_text(encoding="utf-8"))) if stack_file.exists() else frozenset()


def missing_reference(world: Store, token: str, inputs: Properties, existing_names: frozenset[str]) -> str | None:
    """AWS's refusal of the first input that names a missing resource; None when all of them resolve."""
    for reference in REFERENCES.get(token, ()):
        for value in at_path(inputs, reference.path):
            name = str(value)
            if name in existing_names or _OF_AWS.match(name):
                continue
            if reference.by_arn and not name.startswith("arn:"):
                return f"ValidationError: '{name}' is not an ARN (input {reference.path})"
            if not any(world.has_name(reference_name(instance_type, name)) for instance_type in reference.types):
                return f"{_ABSENT[reference.types[0]]} '{name}' does not exist (input {reference.path})"
    return None


def names_in_use(token: str, inputs: Properties) -> set[str]:
    """The resources that may not be deleted while a resource with these inputs exists, by their names in the store."""
    return {
        reference_name(instance_type, str(value))
        for reference in REFERENCES.get(token, ())
        if reference.holds
        for value in at_path(inputs, reference.path)
        for instance_type in reference.types
    }


def reference_name(token: str, value: str) -> str:
    """The name of an id or ARN in the store; a chosen id is unique only within its type."""
    return f"{token} {value}"


def in_use_refusal(entry: Entry, users: tuple[Entry, ...]) -> str:
    """AWS's refusal to delete a resource that others use."""
    service = entry.type.split(":")[1].partition("/")[0]
    code = {"iam": "DeleteConflict", "ec2": "DependencyViolation"}.get(service, "ResourceInUseException")
    names = ", ".join(sorted(user.urn.rsplit("::", 1)[-1] for user in users)[:5])
    return f"{code}: {entry.id} has dependencies and cannot be deleted: {names}"


def missing_internet_gateway(world: Store, token: str, inputs: Properties) -> str | None:
    """AWS's refusal of a public NAT gateway in a VPC without an internet gateway (EC2 API reference, error codes)."""
    vpc = _vpc(world, inputs) if token == _NAT else None
    if vpc is None or vpc in [gateway.inputs.get("vpcId") for gateway in world.of_kind(INTERNET_GATEWAY)]:
        return None
    return f"Gateway.NotAttached: Network {vpc} has no Internet gateway attached"


def nat_gateways_behind(world: Store, gateway: Entry) -> tuple[Entry, ...]:
    """The NAT gateways that prevent an internet gateway from being detached."""
    vpc = gateway.inputs.get("vpcId")
    return tuple(nat for nat in world.of_kind(_NAT) if vpc is not None and _vpc(world, nat.inputs) == vpc)


def _vpc(world: Store, inputs: Properties) -> str | None:
    """The VPC of a public NAT gateway; None for a private one, or where the stack did not make the subnet."""
    is_private = inputs.get("connectivityType") == "private"
    subnet = None if is_private else world.find(_SUBNET, str(inputs.get("subnetId")))
    return None if subnet is None else str(subnet.inputs["vpcId"])


def at_path(value: Plain, path: str) -> Iterator[Plain]:
    """Every value at a dotted path; lists on the way are entered, absent keys and nulls are skipped."""
    if isinstance(value, list):
        for item in value:
            yield from at_path(item, path)
    elif not path:
        if value is not None:
            yield value
    elif isinstance(value, dict):
        head, _, remainder = path.partition(".")
        yield from at_path(value.get(head), remainder)
