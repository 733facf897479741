"""Karpenter's chart values, the IAM policies of its controller, and its interruption queue.

The policies are those that Karpenter publishes for v1.14.1 (aws/karpenter-provider-aws, website/content/en/preview/
getting-started/getting-started-with-karpenter/cloudformation.yaml), in the same five documents. Its optional sixth, for
zonal shift, is left out because the feature is off.
"""

from __future__ import annotations

from dataclasses import dataclass

from gpuplatform.render.addons import placement
from gpuplatform.render.document import Document
from gpuplatform.render.node_classes import node_role_name
from gpuplatform.settings.settings import Settings
from gpuplatform.standard import keys, names

INTERRUPTION_EVENTS: dict[str, Document] = {
    "health": {"source": ["aws.health"], "detail-type": ["AWS Health Event"]},
    "spot-interruption": {"source": ["aws.ec2"], "detail-type": ["EC2 Spot Instance Interruption Warning"]},
    "rebalance": {"source": ["aws.ec2"], "detail-type": ["EC2 Instance Rebalance Recommendation"]},
    "state-change": {"source": ["aws.ec2"], "detail-type": ["EC2 Instance State-change Notification"]},
    "reservation-interruption": {
        "source": ["aws.ec2"],
        "detail-type": ["EC2 Capacity Reservation Instance Interruption Warning"],
    },
}
"""The five event rules that feed the queue, by name (same source as the policies)."""

_CLUSTER_NAME_TAG = "eks:eks-cluster-name"
_LAUNCHED = ("fleet", "instance", "volume", "network-interface", "launch-template", "spot-instances-request")


def queue_name(cluster: str) -> str:
    """The interruption queue; Karpenter's guide names it like the cluster."""
    return cluster


def controller_role_name(cluster: str) -> str:
    """The IAM role that the controller assumes by Pod Identity."""
    return f"{cluster}-karpenter"


def karpenter_values(settings: Settings) -> Document:
    """The chart's values, where they differ from its defaults or must not be left to them."""
    gates = settings.feature_gates
    return {
        "serviceAccount": {"create": True, "name": names.KARPENTER_SERVICE_ACCOUNT},
        "replicas": 2,
        **placement(),
        "controller": {
            # With one metadata hop the controller cannot ask the metadata service for its region.
            "env": [{"name": "AWS_REGION", "value": settings.region}],
            "resources": {
                "requests": {"cpu": "1", "memory": "1Gi"},
                "limits": {"cpu": "1", "memory": "1Gi"},
            },
        },
        "settings": {
            "clusterName": settings.cluster.name,
            "interruptionQueue": queue_name(settings.cluster.name),
            "featureGates": {
                "nodeOverlay": gates.node_overlay,
                "staticCapacity": gates.static_capacity,
                "reservedCapacity": True,
            },
        },
    }


def controller_policies(settings: Settings) -> dict[str, Document]:
    """Policy documents by name."""
    at = _Account(settings.region, settings.account_id, settings.cluster.name)
    groups = {
        "node-lifecycle": _node_lifecycle(at),
        "iam-integration": _iam_integration(at),
        "eks-integration": [
            _allow(
                "AllowAPIServerEndpointDiscovery",
                ["eks:DescribeCluster"],
                f"arn:aws:eks:{at.region}:{at.account}:cluster/{at.cluster}",
            )
        ],
        "interruption": [
            _allow(
                "AllowInterruptionQueueActions",
                ["sqs:DeleteMessage", "sqs:GetQueueUrl", "sqs:ReceiveMessage"],
                f"arn:aws:sqs:{at.region}:{at.account}:{queue_name(at.cluster)}",
            )
        ],
        "resource-discovery": _resource_discovery(at),
    }
    return {name: {"Version": "2012-10-17", "Statement": statements} for name, statements in groups.items()}


def queue_policy(settings: Settings) -> Document:
    """The policy of the interruption queue: only AWS's event services may write to it, over TLS."""
    queue = f"arn:aws:sqs:{settings.region}:{settings.account_id}:{queue_name(settings.cluster.name)}"
    return {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Sid": "EventsMaySend",
                "Effect": "Allow",
                "Principal": {"Service": ["events.amazonaws.com", "sqs.amazonaws.com"]},
                "Action": "sqs:SendMessage",
                "Resource": queue,
            },
            {
                "Sid": "DenyWithoutTls",
                "Effect": "Deny",
                "Principal": "*",
                "Action": "sqs:*",
                "Resource": queue,
                "Condition": {"Bool": {"aws:SecureTransport": "false"}},
            },
        ],
    }


@dataclass(frozen=True, slots=True)
class _Account:
    region: str
    account: str
    cluster: str

    @property
    def owned(self) -> str:
        return f"{keys.CLUSTER_PREFIX}{self.cluster}"

    def ec2(self, *kinds: str) -> list[str]:
        return [f"arn:aws:ec2:{self.region}:*:{kind}/*" for kind in kinds]

    @property
    def instance_profiles(self) -> str:
        return f"arn:aws:iam::{self.account}:instance-profile/*"


def _allow(sid: str, actions: list[str], resources: str | list[str], condition: Document | None = None) -> Document:
    statement: Document = {"Sid": sid, "Effect": "Allow", "Action": actions, "Resource": resources}
    if condition is not None:
        statement["Condition"] = condition
    return statement


def _node_lifecycle(at: _Account) -> list[Document]:
    image_and_snapshot = [f"arn:aws:ec2:{at.region}::{kind}/*" for kind in ("image", "snapshot")]
    requested: Document = {
        "StringEquals": {f"aws:RequestTag/{at.owned}": "owned", f"aws:RequestTag/{_CLUSTER_NAME_TAG}": at.cluster},
        "StringLike": {f"aws:RequestTag/{keys.NODEPOOL}": "*"},
    }
    owned: Document = {
        "StringEquals": {f"aws:ResourceTag/{at.owned}": "owned"},
        "StringLike": {f"aws:ResourceTag/{keys.NODEPOOL}": "*"},
    }
    creating: Document = {
        "StringEquals": {
            f"aws:RequestTag/{at.owned}": "owned",
            f"aws:RequestTag/{_CLUSTER_NAME_TAG}": at.cluster,
            "ec2:CreateAction": ["RunInstances", "CreateFleet", "CreateLaunchTemplate"],
        },
        "StringLike": {f"aws:RequestTag/{keys.NODEPOOL}": "*"},
    }
    tagging: Document = {
        "StringEquals": {f"aws:ResourceTag/{at.owned}": "owned"},
        "StringLike": {f"aws:ResourceTag/{keys.NODEPOOL}": "*"},
        "StringEqualsIfExists": {f"aws:RequestTag/{_CLUSTER_NAME_TAG}": at.cluster},
        "ForAllValues:StringEquals": {"aws:TagKeys": [_CLUSTER_NAME_TAG, keys.NODE_CLAIM, "Name"]},
    }
    run, fleet, template = "ec2:RunInstances", "ec2:CreateFleet", "ec2:CreateLaunchTemplate"
    used = at.ec2("security-group", "subnet", "capacity-reservation", "placement-group")
    return [
        _allow("AllowScopedEC2InstanceAccessActions", [run, fleet], [*image_and_snapshot, *used]),
        _allow("AllowScopedEC2LaunchTemplateAccessActions", [run, fleet], at.ec2("launch-template"), owned),
        _allow("AllowScopedEC2InstanceActionsWithTags", [run, fleet, template], at.ec2(*_LAUNCHED), requested),
        _allow("AllowScopedResourceCreationTagging", ["ec2:CreateTags"], at.ec2(*_LAUNCHED), creating),
        _allow("AllowScopedResourceTagging", ["ec2:CreateTags"], at.ec2("instance"), tagging),
        _allow(
            "AllowScopedDeletion",
            ["ec2:TerminateInstances", "ec2:DeleteLaunchTemplate"],
            at.ec2("instance", "launch-template"),
            owned,
        ),
    ]


def _iam_integration(at: _Account) -> list[Document]:
    resource_tags = {f"aws:ResourceTag/{at.owned}": "owned", f"aws:ResourceTag/{keys.REGION}": at.region}
    request_tags = {
        f"aws:RequestTag/{at.owned}": "owned",
        f"aws:RequestTag/{_CLUSTER_NAME_TAG}": at.cluster,
        f"aws:RequestTag/{keys.REGION}": at.region,
    }
    of_resource = {f"aws:ResourceTag/{keys.NODE_CLASS}": "*"}
    of_request = {f"aws:RequestTag/{keys.NODE_CLASS}": "*"}
    return [
        _allow(
            "AllowPassingInstanceRole",
            ["iam:PassRole"],
            f"arn:aws:iam::{at.account}:role/{node_role_name(at.cluster)}",
            {"StringEquals": {"iam:PassedToService": ["ec2.amazonaws.com", "ec2.amazonaws.com.cn"]}},
        ),
        _allow(
            "AllowScopedInstanceProfileCreationActions",
            ["iam:CreateInstanceProfile"],
            at.instance_profiles,
            {"StringEquals": request_tags, "StringLike": of_request},
        ),
        _allow(
            "AllowScopedInstanceProfileTagActions",
            ["iam:TagInstanceProfile"],
            at.instance_profiles,
            {"StringEquals": {**resource_tags, **request_tags}, "StringLike": {**of_resource, **of_request}},
        ),
        _allow(
            "AllowScopedInstanceProfileActions",
            ["iam:AddRoleToInstanceProfile", "iam:RemoveRoleFromInstanceProfile", "iam:DeleteInstanceProfile"],
            at.instance_profiles,
            {"StringEquals": resource_tags, "StringLike": of_resource},
        ),
    ]


def _resource_discovery(at: _Account) -> list[Document]:
    described = (
        "CapacityReservations",
        "Images",
        "Instances",
        "InstanceStatus",
        "InstanceTypeOfferings",
        "InstanceTypes",
        "LaunchTemplates",
        "PlacementGroups",
        "SecurityGroups",
        "SpotPriceHistory",
        "Subnets",
    )
    return [
        _allow(
            "AllowRegionalReadActions",
            [f"ec2:Describe{what}" for what in described],
            "*",
            {"StringEquals": {"aws:RequestedRegion": at.region}},
        ),
        _allow("AllowSSMReadActions", ["ssm:GetParameter"], f"arn:aws:ssm:{at.region}::parameter/aws/service/*"),
        _allow("AllowPricingReadActions", ["pricing:GetProducts"], "*"),
        _allow("AllowUnscopedInstanceProfileListAction", ["iam:ListInstanceProfiles"], "*"),
        _allow("AllowInstanceProfileReadActions", ["iam:GetInstanceProfile"], at.instance_profiles),
    ]
