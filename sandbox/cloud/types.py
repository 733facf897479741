"""The types that the stand-ins know. Any other type is an error, so that none is silently taken for working."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AwsType:
    """An AWS type: the form of its id and its ARN, and the inputs whose change makes a new resource."""

    token: str
    prefix: str = ""
    """Ids are ``<prefix>-`` and seventeen hexadecimal digits, unless ``id_from`` names inputs."""
    id_from: tuple[str, ...] = ()
    """Inputs and outputs that make the id, joined by a colon."""
    arn: str = ""
    """The ARN's end, such as ``iam::{account}:role/{name}``; empty where the type has none."""
    named_by: str = "name"
    """The input with its name in AWS; a program may give only a prefix of the name in ``<named_by>Prefix``."""
    replaces: tuple[str, ...] = ()
    """Inputs whose change makes a new resource, by their dotted paths."""


_TYPES = (
    AwsType("aws:ec2/vpc:Vpc", "vpc", arn="ec2:{region}:{account}:vpc/{id}", replaces=("cidrBlock",)),
    AwsType(
        "aws:ec2/subnet:Subnet",
        "subnet",
        arn="ec2:{region}:{account}:subnet/{id}",
        replaces=("cidrBlock", "vpcId", "availabilityZone"),
    ),
    AwsType("aws:ec2/internetGateway:InternetGateway", "igw", arn="ec2:{region}:{account}:internet-gateway/{id}"),
    AwsType("aws:ec2/eip:Eip", "eipalloc", replaces=("domain",)),
    AwsType("aws:ec2/natGateway:NatGateway", "nat", replaces=("allocationId", "subnetId")),
    AwsType("aws:ec2/routeTable:RouteTable", "rtb", replaces=("vpcId",)),
    AwsType("aws:ec2/route:Route", "r-rtb", replaces=("routeTableId", "destinationCidrBlock")),
    AwsType("aws:ec2/routeTableAssociation:RouteTableAssociation", "rtbassoc", replaces=("subnetId",)),
    AwsType("aws:ec2/vpcEndpoint:VpcEndpoint", "vpce", replaces=("vpcId", "serviceName", "vpcEndpointType")),
    AwsType(
        "aws:ec2/vpcIpv4CidrBlockAssociation:VpcIpv4CidrBlockAssociation",
        "vpc-cidr-assoc",
        replaces=("vpcId", "cidrBlock"),
    ),
    AwsType(
        "aws:ec2/securityGroup:SecurityGroup",
        "sg",
        arn="ec2:{region}:{account}:security-group/{id}",
        replaces=("vpcId", "name", "description"),
    ),
    AwsType("aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule", "sgr", replaces=("securityGroupId",)),
    AwsType("aws:ec2/tag:Tag", id_from=("resourceId", "key"), replaces=("resourceId", "key")),
    AwsType(
        "aws:ec2/launchTemplate:LaunchTemplate",
        "lt",
        arn="ec2:{region}:{account}:launch-template/{id}",
        replaces=("name",),
    ),
    AwsType(
        "aws:eks/cluster:Cluster",
        id_from=("name",),
        arn="eks:{region}:{account}:cluster/{name}",
        replaces=("name", "encryptionConfig", "roleArn"),
    ),
    AwsType(
        "aws:eks/addon:Addon",
        id_from=("clusterName", "addonName"),
        arn="eks:{region}:{account}:addon/{clusterName}/{addonName}/{uuid}",
        replaces=("clusterName", "addonName"),
    ),
    AwsType(
        "aws:eks/nodeGroup:NodeGroup",
        id_from=("clusterName", "nodeGroupName"),
        arn="eks:{region}:{account}:nodegroup/{clusterName}/{nodeGroupName}/{uuid}",
        named_by="nodeGroupName",
        # hashicorp/terraform-provider-aws internal/service/eks/node_group.go 012e0a3: ForceNew
        replaces=(
            *("clusterName", "nodeGroupName", "nodeGroupNamePrefix", "nodeRoleArn", "subnetIds", "instanceTypes"),
            *("amiType", "capacityType", "diskSize", "launchTemplate.id", "remoteAccess"),
        ),
    ),
    AwsType(
        "aws:eks/accessEntry:AccessEntry",
        id_from=("clusterName", "principalArn"),
        arn="eks:{region}:{account}:access-entry/{clusterName}/{uuid}",
        replaces=("clusterName", "principalArn", "type"),
    ),
    AwsType(
        "aws:eks/accessPolicyAssociation:AccessPolicyAssociation",
        id_from=("clusterName", "principalArn", "policyArn"),
        replaces=("clusterName", "principalArn", "policyArn"),
    ),
    AwsType(
        "aws:eks/podIdentityAssociation:PodIdentityAssociation",
        "a",
        arn="eks:{region}:{account}:podidentityassociation/{clusterName}/{id}",
        replaces=("clusterName", "namespace", "serviceAccount"),
    ),
    AwsType("aws:iam/role:Role", id_from=("name",), arn="iam::{account}:role/{name}", replaces=("name", "path")),
    AwsType(
        "aws:iam/serviceLinkedRole:ServiceLinkedRole",
        id_from=("arn",),
        arn="iam::{account}:role/aws-service-role/{awsServiceName}/{name}",
        replaces=("awsServiceName", "customSuffix"),
    ),
    AwsType("aws:iam/policy:Policy", id_from=("arn",), arn="iam::{account}:policy/{name}", replaces=("name",)),
    AwsType(
        "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
        id_from=("role", "policyArn"),
        replaces=("role", "policyArn"),
    ),
    AwsType("aws:kms/key:Key", "key", arn="kms:{region}:{account}:key/{id}"),
    AwsType("aws:kms/alias:Alias", id_from=("name",), arn="kms:{region}:{account}:{name}", replaces=("name",)),
    AwsType(
        "aws:cloudwatch/logGroup:LogGroup",
        id_from=("name",),
        arn="logs:{region}:{account}:log-group:{name}",
        replaces=("name",),
    ),
    AwsType(
        "aws:cloudwatch/eventRule:EventRule",
        id_from=("name",),
        arn="events:{region}:{account}:rule/{name}",
        replaces=("name",),
    ),
    AwsType("aws:cloudwatch/eventTarget:EventTarget", "terraform", replaces=("rule",)),
    AwsType("aws:sqs/queue:Queue", id_from=("url",), arn="sqs:{region}:{account}:{name}", replaces=("name",)),
    AwsType("aws:sqs/queuePolicy:QueuePolicy", id_from=("queueUrl",), replaces=("queueUrl",)),
)

AWS_TYPES: dict[str, AwsType] = {aws_type.token: aws_type for aws_type in _TYPES}

OF_THE_ACCOUNT = frozenset({"aws:iam/serviceLinkedRole:ServiceLinkedRole"})
"""Types that an account has once for all its stacks: the stack that made such a resource leaves it behind."""

KUBERNETES_KINDS: frozenset[str] = frozenset(
    {
        "kubernetes:admissionregistration.k8s.io/v1:ValidatingAdmissionPolicy",
        "kubernetes:admissionregistration.k8s.io/v1:ValidatingAdmissionPolicyBinding",
        "kubernetes:core/v1:ConfigMap",
        "kubernetes:core/v1:LimitRange",
        "kubernetes:core/v1:Namespace",
        "kubernetes:core/v1:ResourceQuota",
        "kubernetes:core/v1:ServiceAccount",
        "kubernetes:helm.sh/v3:Release",
        "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass",
        "kubernetes:karpenter.sh/v1:NodePool",
        "kubernetes:karpenter.sh/v1alpha1:NodeOverlay",
        *(
            f"kubernetes:kueue.x-k8s.io/v1beta2:{kind}"
            for kind in (
                "ClusterQueue",
                "Cohort",
                "LocalQueue",
                "ResourceFlavor",
                "Topology",
                "WorkloadPriorityClass",
            )
        ),
        "kubernetes:monitoring.coreos.com/v1:PrometheusRule",
        "kubernetes:monitoring.coreos.com/v1:ServiceMonitor",
        "kubernetes:networking.k8s.io/v1:NetworkPolicy",
        "kubernetes:rbac.authorization.k8s.io/v1:Role",
        "kubernetes:rbac.authorization.k8s.io/v1:RoleBinding",
        "kubernetes:resource.k8s.io/v1:ResourceClaimTemplate",
        "kubernetes:scheduling.k8s.io/v1:PriorityClass",
        "kubernetes:storage.k8s.io/v1:StorageClass",
    }
)

CLUSTER_SCOPED: frozenset[str] = frozenset(
    {
        *("Namespace", "NodePool", "NodeOverlay", "EC2NodeClass", "PriorityClass", "StorageClass"),
        *("ClusterQueue", "Cohort", "ResourceFlavor", "Topology", "WorkloadPriorityClass"),
        *("ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"),
    }
)

CRD_CHARTS: dict[str, str] = {
    "karpenter.sh": "karpenter-crd",
    "karpenter.k8s.aws": "karpenter-crd",
    "kueue.x-k8s.io": "kueue",
    "monitoring.coreos.com": "prometheus-operator-crds",
}
"""API groups of custom resources, and the chart that brings them."""

CONTROLLER_CHARTS: dict[str, str] = {
    "karpenter.sh": "karpenter",
    "karpenter.k8s.aws": "karpenter",
    "kueue.x-k8s.io": "kueue",
}
"""The chart whose controller removes the finalizers of a group's objects; without it they cannot be deleted."""

EKS_TYPES: frozenset[str] = frozenset({"eks:index:Cluster"})


def type_names() -> list[str]:
    """Every type that a stand-in knows, sorted."""
    return sorted([*AWS_TYPES, *KUBERNETES_KINDS, *EKS_TYPES])
