"""How things are named, and how long a name may be where it is used."""

from __future__ import annotations

import enum
import hashlib
import re
from collections.abc import Iterable

from gpuplatform.standard.markets import Market

DNS_LABEL = re.compile(r"^[a-z0-9]([a-z0-9-]*[a-z0-9])?$")
"""A DNS label (RFC 1123): what Kubernetes wants of names that become parts of host names."""

STORAGE_CLASS = "gp3"
"""The platform's own class of volumes, the cluster's default."""

MAX_LABEL_VALUE = 63
"""A NodePool's name is a label value on each of its nodes."""
MAX_CLUSTER_NAME = 40
"""EKS allows 100; IAM role names (64) and the queue carry the cluster's name with a suffix."""
MAX_ROLE_NAME = 64
"""Of an IAM role (IAM user guide, IAM and AWS STS quotas)."""
MAX_POLICY_CHARACTERS = 6144
"""Of an IAM managed policy, white space not counted (IAM user guide, IAM and AWS STS quotas)."""
MAX_POOL_NAME = 24
"""So that ``<pool>-<card>-<market>`` stays under 63 characters for every card; with a zone, a judge measures it."""
_NODE_GROUP_DIGITS = 6
"""Enough to tell the few groups apart that one pool ever has."""

PLATFORM_PREFIX = "gpu-platform-"
"""Of cluster-wide objects that the platform makes beside those of its charts."""
BREAK_GLASS_GROUP = PLATFORM_PREFIX + "break-glass"
"""The Kubernetes group whose people no admission rule stops: an access entry gives it, for an incident."""
SYSTEM_NAMESPACE = "kube-system"
"""Kubernetes' own, and that of EKS' add-ons."""
KARPENTER_NAMESPACE = SYSTEM_NAMESPACE
KARPENTER_SERVICE_ACCOUNT = "karpenter"
KARPENTER_USER = f"system:serviceaccount:{KARPENTER_NAMESPACE}:{KARPENTER_SERVICE_ACCOUNT}"
"""As the API server knows the autoscaler."""


COHORT = "gpu-platform"
"""The queues that lend to each other: all of a stack."""
LOCAL_QUEUE = "default"
"""Kueue sends work that names no queue to the LocalQueue of this name."""
UNITS_FLAVOR = "every-card"
"""The flavor of what cards and slices have in common; it is on no node."""
TOPOLOGY = "standing-nodes"
"""Of nodes that exist before a job does."""

DEFAULT_DENY = "default-deny"
"""The NetworkPolicy that leaves a team's namespace nothing but what others allow."""


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


def node_group(nodepool: str, instance_types: Iterable[str]) -> str:
    """A managed node group's name: its NodePool's, and an end made from its instance types.

    EKS makes a new group for other types. Under a name of its own it stands before the old one goes; under the same
    name the old one would have to go first.
    """
    digest = hashlib.sha256("\n".join(instance_types).encode()).hexdigest()
    return f"{nodepool}-{digest[:_NODE_GROUP_DIGITS]}"


def node_class(pool: str) -> str:
    """The EC2NodeClass that a pool launches from."""
    return pool


def team_role(tenant: str) -> str:
    """The Role of a team's people in each of its namespaces."""
    return f"{tenant}-team"


def quota(namespace: str) -> str:
    """A namespace's ResourceQuota: the API server's refusal says its name, and no other word of where."""
    return f"{namespace}-cards"


def allowed(exception: str) -> str:
    """The NetworkPolicy of an exception."""
    return f"allow-{exception}"


def workload_role(cluster: str, namespace: str) -> str:
    """The IAM role of a namespace's service account."""
    return f"{cluster}-ns-{namespace}"


def content_key(parts: Iterable[str]) -> str:
    """A configuration key named by its content, valid as a label value and as a ConfigMap key."""
    return ".".join(part.lower().replace("+", ".") for part in parts)
