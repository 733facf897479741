"""IAM roles: the service that may assume a role, and the role's policies."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pulumi
from pulumi_aws.iam import Policy, Role, RolePolicyAttachment

EC2 = ("ec2.amazonaws.com", ("sts:AssumeRole",))
"""An instance assumes the role."""
PODS = ("pods.eks.amazonaws.com", ("sts:AssumeRole", "sts:TagSession"))
"""A pod assumes the role through EKS Pod Identity."""

NODE_POLICIES = (
    "AmazonEKSWorkerNodePolicy",
    "AmazonEKS_CNI_Policy",
    "AmazonEC2ContainerRegistryPullOnly",
    "AmazonSSMManagedInstanceCore",
)
"""The policies that a node needs (Karpenter's published node role, v1.14.1)."""


@dataclass(frozen=True, slots=True)
class MadeRole:
    """A role, and the policy attachments that must exist before the role is used."""

    role: Role
    attachments: tuple[RolePolicyAttachment, ...]


def make_role(
    owner: pulumi.Resource,
    name: str,
    role_name: str,
    trusted: tuple[str, Sequence[str]],
    managed: Sequence[str] = (),
    own: Mapping[str, Mapping[str, object]] | None = None,
) -> MadeRole:
    """A role for one AWS service, with AWS-managed policies by name (``managed``) and its own policies (``own``)."""
    service, actions = trusted
    child = pulumi.ResourceOptions(parent=owner)
    trust = {
        "Version": "2012-10-17",
        "Statement": [{"Effect": "Allow", "Principal": {"Service": service}, "Action": list(actions)}],
    }
    role = Role(name, name=role_name, assume_role_policy=json.dumps(trust), opts=child)
    attachments = [
        RolePolicyAttachment(
            f"{name}-{policy_name}", role=role.name, policy_arn=f"arn:aws:iam::aws:policy/{policy_name}", opts=child
        )
        for policy_name in managed
    ]
    for policy_name, document in (own or {}).items():
        policy = Policy(
            f"{name}-{policy_name}", name=f"{role_name}-{policy_name}", policy=json.dumps(document), opts=child
        )
        attachments.append(
            RolePolicyAttachment(f"{name}-{policy_name}", role=role.name, policy_arn=policy.arn, opts=child)
        )
    return MadeRole(role, tuple(attachments))
