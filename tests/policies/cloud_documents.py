"""AWS resources that keep every rule, and objects beside the operator's chart."""

from __future__ import annotations

import json

_ALLOWED = [
    {"Effect": "Allow", "Action": ["sqs:ReceiveMessage"], "Resource": "arn:aws:sqs:us-east-1:111122223333:dev"},
    {"Effect": "Allow", "Action": ["iam:ListInstanceProfiles"], "Resource": "*"},
    {
        "Effect": "Allow",
        "Action": ["ec2:DescribeImages"],
        "Resource": "*",
        "Condition": {"StringEquals": {"aws:RequestedRegion": "us-east-1"}},
    },
]


def a_policy(*statements: dict[str, object]) -> dict[str, object]:
    """A policy for a role."""
    text = json.dumps({"Version": "2012-10-17", "Statement": list(statements) or _ALLOWED})
    return {"kind": "aws:iam/policy:Policy", "policy": text}


def an_aws_role(principal: object = None) -> dict[str, object]:
    """A role that pods may assume through Pod Identity."""
    trusted = {"Service": "pods.eks.amazonaws.com"} if principal is None else principal
    statement = {"Effect": "Allow", "Principal": trusted, "Action": ["sts:AssumeRole"]}
    return {"kind": "aws:iam/role:Role", "assumeRolePolicy": json.dumps({"Statement": [statement]})}


def a_subnet() -> dict[str, object]:
    return {"kind": "aws:ec2/subnet:Subnet", "cidrBlock": "10.0.0.0/20", "mapPublicIpOnLaunch": False}


def an_ingress_rule() -> dict[str, object]:
    """HTTPS from the network itself."""
    return {
        "kind": "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule",
        "ipProtocol": "tcp",
        "cidrIpv4": "10.0.0.0/16",
    }


def a_launch_template() -> dict[str, object]:
    return {
        "kind": "aws:ec2/launchTemplate:LaunchTemplate",
        "metadataOptions": {"httpTokens": "required", "httpPutResponseHopLimit": 1},
        "blockDeviceMappings": [{"deviceName": "/dev/xvda", "ebs": {"encrypted": "true"}}],
    }


def karpenter() -> dict[str, object]:
    """The autoscaler's release."""
    gates = {"nodeOverlay": True, "staticCapacity": True}
    return {
        "apiVersion": "helm.sh/v3",
        "kind": "Release",
        "metadata": {"name": "karpenter"},
        "chart": "oci://public.ecr.aws/karpenter/karpenter",
        "values": {"settings": {"interruptionQueue": "dev", "featureGates": gates}},
    }


def a_load_balancer() -> dict[str, object]:
    """A Service that the network alone reaches."""
    annotations = {"service.beta.kubernetes.io/aws-load-balancer-scheme": "internal"}
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "chat", "namespace": "ml-serving", "annotations": annotations},
        "spec": {"type": "LoadBalancer", "selector": {"app": "chat"}},
    }


def a_limit_range() -> dict[str, object]:
    container = {"type": "Container", "default": {"memory": "1Gi"}, "defaultRequest": {"cpu": "500m", "memory": "1Gi"}}
    return {
        "apiVersion": "v1",
        "kind": "LimitRange",
        "metadata": {"name": "defaults", "namespace": "ml-serving"},
        "spec": {"limits": [container]},
    }


def a_role_binding() -> dict[str, object]:
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "RoleBinding",
        "metadata": {"name": "serving", "namespace": "ml-serving"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "serving"},
        "subjects": [{"kind": "Group", "name": "ml-serving", "apiGroup": "rbac.authorization.k8s.io"}],
    }


def a_cluster_role() -> dict[str, object]:
    """Which nodes there are, for everyone who runs on them."""
    rules = [{"apiGroups": [""], "resources": ["nodes"], "verbs": ["get", "list"]}]
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"name": "node-reader"},
        "rules": rules,
    }


def a_cluster_role_binding() -> dict[str, object]:
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRoleBinding",
        "metadata": {"name": "node-readers"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "node-reader"},
        "subjects": [
            {"kind": "Group", "name": "ml-serving", "apiGroup": "rbac.authorization.k8s.io"},
            {"kind": "ServiceAccount", "name": "serving", "namespace": "ml-serving"},
        ],
    }


CLOUD: tuple[dict[str, object], ...] = (
    a_policy(),
    an_aws_role(),
    a_subnet(),
    an_ingress_rule(),
    a_launch_template(),
    karpenter(),
    a_load_balancer(),
    a_limit_range(),
    a_role_binding(),
    a_cluster_role(),
    a_cluster_role_binding(),
)
