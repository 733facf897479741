"""The list: every resource type that the stand-ins know, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping

PROVIDERS = ("aws", "kubernetes", "eks")

AWS_TYPES = frozenset(
    f"aws:{module}/{name[0].lower()}{name[1:]}:{name}"
    for module, names in {
        "ec2": (
            "Vpc Subnet InternetGateway Eip NatGateway RouteTable Route RouteTableAssociation VpcEndpoint SecurityGroup"
            " Tag VpcIpv4CidrBlockAssociation LaunchTemplate PlacementGroup"
        ),
        "vpc": "SecurityGroupIngressRule SecurityGroupEgressRule",
        "eks": "Cluster Addon NodeGroup AccessEntry AccessPolicyAssociation PodIdentityAssociation",
        "iam": "Role Policy RolePolicy RolePolicyAttachment InstanceProfile",
        "kms": "Key Alias",
        "cloudwatch": "LogGroup EventRule EventTarget",
        "sqs": "Queue QueuePolicy",
    }.items()
    for name in names.split()
)

RELEASE = "kubernetes:helm.sh/v3:Release"

KUBERNETES_MODULES: Mapping[str, str] = {
    **{f"kubernetes:core/v1:{kind}": "core/v1" for kind in "Namespace ServiceAccount ConfigMap".split()},
    **{f"kubernetes:core/v1:{kind}": "core/v1" for kind in "ResourceQuota LimitRange".split()},
    **{
        f"kubernetes:rbac.authorization.k8s.io/v1:{kind}": "rbac/v1"
        for kind in "Role RoleBinding ClusterRole ClusterRoleBinding".split()
    },
    "kubernetes:networking.k8s.io/v1:NetworkPolicy": "networking/v1",
    "kubernetes:scheduling.k8s.io/v1:PriorityClass": "scheduling/v1",
    "kubernetes:storage.k8s.io/v1:StorageClass": "storage/v1",
    "kubernetes:admissionregistration.k8s.io/v1:ValidatingAdmissionPolicy": "admissionregistration/v1",
    "kubernetes:admissionregistration.k8s.io/v1:ValidatingAdmissionPolicyBinding": "admissionregistration/v1",
    RELEASE: "helm/v3",
}
"""Built-in kinds, and the folder of the SDK that describes each."""

CUSTOM_TYPES = frozenset(
    {
        "kubernetes:karpenter.sh/v1:NodePool",
        "kubernetes:karpenter.sh/v1alpha1:NodeOverlay",
        "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass",
    }
)
"""Custom resources: they need a chart that brings their definition."""

EKS_TYPES = frozenset({"eks:index:Cluster"})

CLUSTER_WIDE = frozenset(
    {
        "Namespace",
        "ClusterRole",
        "ClusterRoleBinding",
        "PriorityClass",
        "StorageClass",
        "ValidatingAdmissionPolicy",
        "ValidatingAdmissionPolicyBinding",
        "NodePool",
        "NodeOverlay",
        "EC2NodeClass",
    }
)
"""Kinds without a namespace."""

LISTED = AWS_TYPES | frozenset(KUBERNETES_MODULES) | CUSTOM_TYPES | EKS_TYPES


def not_listed(token: str) -> str | None:
    """Why a type is refused; None when it is on the list."""
    if token in LISTED:
        return None
    return (
        f"the stand-ins do not know the type {token}: it is not on their list (sandbox/standins/types.py);"
        " print the list with `python -m sandbox.standins`"
    )


def listing() -> str:
    """Every listed type, one a line, in order."""
    providers = [f"pulumi:providers:{name}" for name in PROVIDERS]
    return "\n".join([*sorted(LISTED), *providers])
