"""The names of the platform's objects, and the longest name that each use allows."""

from __future__ import annotations

import enum
import hashlib
import re
from collections.abc import Iterable

from gpuplatform.standard.labels import profile_value
from gpuplatform.standard.markets import Market

DNS_LABEL = re.compile(r"^[a-z0-9]([a-z0-9-]*[a-z0-9])?$")
"""A DNS label (RFC 1123): Kubernetes requires this form of names that become parts of host names."""

STORAGE_CLASS = "gp3"
"""The platform's own storage class, the cluster's default."""

MAX_LABEL_VALUE = 63
"""A NodePool's name is a label value on each of its nodes."""
MAX_CLUSTER_NAME = 40
"""EKS allows 100; IAM role names (64) and the queue carry the cluster's name with a suffix."""
MAX_ROLE_NAME = 64
"""Longest name of an IAM role (IAM user guide, IAM and AWS STS quotas)."""
MAX_POLICY_CHARACTERS = 6144
"""Longest IAM managed policy, white space not counted (IAM user guide, IAM and AWS STS quotas)."""
MAX_POOL_NAME = 24
"""Keeps ``<pool>-<card>-<market>`` under 63 characters for every card; a check measures names with a zone."""
_NODE_GROUP_DIGITS = 6
"""Enough to distinguish the few groups that one pool ever has."""

PLATFORM_PREFIX = "gpu-platform-"
"""Prefix of cluster-wide objects that the platform makes in addition to those of its charts."""
BREAK_GLASS_GROUP = PLATFORM_PREFIX + "break-glass"
"""The Kubernetes group that no admission rule applies to. During an incident an access entry grants it."""
SYSTEM_NAMESPACE = "kube-system"
"""The namespace of Kubernetes itself and of EKS add-ons."""
KARPENTER_NAMESPACE = SYSTEM_NAMESPACE
KARPENTER_SERVICE_ACCOUNT = "karpenter"
KARPENTER_USER = f"system:serviceaccount:{KARPENTER_NAMESPACE}:{KARPENTER_SERVICE_ACCOUNT}"
"""The user name that Karpenter has at the API server."""


COHORT = "gpu-platform"
"""The cohort of queues that lend to each other: all queues of a stack."""
LOCAL_QUEUE = "default"
"""Kueue sends work that names no queue to the LocalQueue of this name."""
UNITS_FLAVOR = "every-card"
"""The flavor of the resource that whole cards and slices both count in; no node has it."""
TOPOLOGY = "standing-nodes"
"""The topology of nodes that exist before a job does."""

DEFAULT_DENY = "default-deny"
"""The NetworkPolicy that blocks all traffic of a team's namespace that no other policy allows."""


class Allowed(enum.StrEnum):
    """Traffic that the platform itself allows a team's namespace."""

    DNS = "dns"
    SAME_NAMESPACE = "same-namespace"
    HTTPS = "https"
    POD_IDENTITY = "pod-identity"


def dns(text: str) -> str:
    """Text as a DNS label: lower case, every other character a hyphen."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def nodepool(pool: str, card: str, market: Market, zone: str | None = None) -> str:
    """The NodePool's name: ``<pool>-<card>-<market>``, and the zone where the pool is static."""
    return "-".join(filter(None, (pool, dns(card), market.value, zone)))


def node_group(nodepool_name: str, instance_types: Iterable[str]) -> str:
    """A managed node group's name: its NodePool's, and an end made from its instance types.

    A change of types makes a new group. With another name the new group can start before the old one is deleted; with
    the same name the old one would have to be deleted first.
    """
    digest = hashlib.sha256("\n".join(instance_types).encode()).hexdigest()
    return f"{nodepool_name}-{digest[:_NODE_GROUP_DIGITS]}"


def node_class(pool: str) -> str:
    """The EC2NodeClass that a pool launches from."""
    return pool


def team_role(tenant: str) -> str:
    """The Role of a team's people in each of its namespaces."""
    return f"{tenant}-team"


def quota(namespace: str) -> str:
    """A namespace's ResourceQuota. Its name carries the namespace, because the API server's refusal shows only this."""
    return f"{namespace}-cards"


def allowed(exception: str) -> str:
    """The NetworkPolicy of an exception."""
    return f"allow-{exception}"


def claim_template(profile: str | None) -> str:
    """The ResourceClaimTemplate of one slice of a MIG profile, or of one whole card for None."""
    return "card" if profile is None else dns(f"mig-{profile}")


def workload_role(cluster: str, namespace: str) -> str:
    """The IAM role of a namespace's service account."""
    return f"{cluster}-ns-{namespace}"


def content_key(parts: Iterable[str]) -> str:
    """A configuration key named by its content, valid as a label value and as a ConfigMap key."""
    return ".".join(profile_value(part.lower()) for part in parts)
