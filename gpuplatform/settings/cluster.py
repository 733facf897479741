"""The cluster, its system nodes, and who has access to it."""

from __future__ import annotations

import enum
from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from gpuplatform.settings.model import Arn, Cidr, Group, Model, Name
from gpuplatform.standard import names, versions

RetentionDays: TypeAlias = Literal[
    1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653
]  # fmt: skip
"""The retention times that CloudWatch accepts (CloudWatch Logs API reference, PutRetentionPolicy, read 2026-11-21)."""


class EndpointAccess(enum.StrEnum):
    """The networks from which the Kubernetes API can be reached."""

    PRIVATE = "private"  # only from inside the network
    PUBLIC = "public"  # also from the networks in public_cidrs


class Contents(enum.StrEnum):
    """Whether `up` makes objects inside the cluster."""

    APPLIED = "applied"  # everything
    DEFERRED = "deferred"  # only the cluster: for the first `up` of a private endpoint that cannot be reached yet


class AccessLevel(enum.StrEnum):
    """The permissions of an access entry in the cluster."""

    ADMIN = "admin"  # AmazonEKSClusterAdminPolicy
    READER = "reader"  # AmazonEKSViewPolicy
    GROUPS = "groups"  # only the permissions that its Kubernetes groups are bound to


class LogType(enum.StrEnum):
    """The control plane's logs (EKS user guide, control plane logging)."""

    API = "api"
    AUDIT = "audit"
    AUTHENTICATOR = "authenticator"
    CONTROLLER_MANAGER = "controllerManager"
    SCHEDULER = "scheduler"


class Endpoint(Model):
    """How the Kubernetes API is reached."""

    access: EndpointAccess = EndpointAccess.PRIVATE
    """`private`: only from inside the network. `public`: also from `public_cidrs`."""
    public_cidrs: tuple[Cidr, ...] = ()
    """The only networks that reach a public endpoint; 0.0.0.0/0 is refused."""


class AccessEntry(Model):
    """One IAM principal that has access to the cluster."""

    name: Name
    principal_arn: Arn
    level: AccessLevel
    groups: tuple[Group, ...] = ()
    """Kubernetes groups; only with level `groups`."""


class Cluster(Model):
    """The EKS control plane."""

    name: Annotated[str, Field(pattern=names.DNS_LABEL.pattern, max_length=names.MAX_CLUSTER_NAME)]
    version: str = versions.KUBERNETES.version
    """Kubernetes minor version; it changes only when this setting changes."""
    endpoint: Endpoint = Endpoint()
    contents: Contents = Contents.APPLIED
    """`deferred` makes no objects inside the cluster: for the first `up` of a private endpoint."""
    access_entries: tuple[AccessEntry, ...] = ()
    creator_arn: Arn | None = None
    """The IAM role or user (not its session) that runs the first `pulumi up`. EKS makes it an admin of the cluster."""
    log_types: tuple[LogType, ...] = tuple(LogType)
    """Control-plane logs that are kept: all five, which is also the default."""
    log_retention_days: RetentionDays = 90
    """How long CloudWatch keeps the control plane's logs."""
    deletion_protection: bool = False
    """While true, EKS refuses to delete the cluster, and Pulumi refuses before it deletes anything inside."""
    service_cidr: Cidr = "172.20.0.0/16"
    """Addresses of Services: a private range of /24 to /12 that does not overlap the network."""


MAX_SYSTEM_NODES = 20


class SystemNodes(Model):
    """The managed node group for controllers, tainted so that no other pods land there."""

    instance_types: Annotated[tuple[str, ...], Field(min_length=1)] = ("m7i.large",)
    nodes: Annotated[int, Field(ge=2, le=MAX_SYSTEM_NODES)] = 4
    """At least two, because Karpenter runs two replicas on different hosts. While one node is replaced, the others must
    have room for every controller: four nodes are enough with queues and monitoring, three without queues."""
    root_volume_gib: Annotated[int, Field(ge=20, le=1000)] = 50


class FeatureGates(Model):
    """Karpenter's alpha feature gates, on by default because the label standard needs them."""

    node_overlay: bool = True
    """NodeOverlay: tells Karpenter how many slices and shares a node will offer."""
    static_capacity: bool = True
    """StaticCapacity: NodePools with a fixed number of nodes, for chiefs."""
