"""The kinds of things that rules are about."""

from __future__ import annotations

from policies.subject import Kind

NODE_POOL = Kind("karpenter.sh", "NodePool")
NODE_OVERLAY = Kind("karpenter.sh", "NodeOverlay")
NODE_CLASS = Kind("karpenter.k8s.aws", "EC2NodeClass")
NODE_GROUP = Kind("", "aws:eks/nodeGroup:NodeGroup")
STACK = Kind("", "pulumi:pulumi:Stack")
"""The root of every program; its outputs are what the stack publishes."""
CLUSTER = Kind("", "aws:eks/cluster:Cluster")
RELEASE = Kind("helm.sh", "Release")
CONFIG_MAP = Kind("", "ConfigMap")
SECRET = Kind("", "Secret")
NAMESPACE = Kind("", "Namespace")
NODE = Kind("", "Node")
RESOURCE_QUOTA = Kind("", "ResourceQuota")
SERVICE_ACCOUNT = Kind("", "ServiceAccount")
NETWORK_POLICY = Kind("networking.k8s.io", "NetworkPolicy")
ROLE = Kind("rbac.authorization.k8s.io", "Role")
PRIORITY_CLASS = Kind("scheduling.k8s.io", "PriorityClass")
RESOURCE_CLAIM = Kind("resource.k8s.io", "ResourceClaim")
RESOURCE_CLAIM_TEMPLATE = Kind("resource.k8s.io", "ResourceClaimTemplate")
