"""The cluster, its system nodes and who may enter."""

from __future__ import annotations

import enum
from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from gpuplatform.settings.model import Arn, Cidr, Group, Model, Name
from gpuplatform.standard import names, versions

RetentionDays: TypeAlias = Literal[
    1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653
]  # fmt: skip
"""What CloudWatch takes (CloudWatch Logs API reference, PutRetentionPolicy, read 2026-11-21)."""


class EndpointAccess(enum.StrEnum):
    """Where the Kubernetes API can be reached from."""

    PRIVATE = "private"  # from inside the network only
    PUBLIC = "public"  # from the named networks too


class Contents(enum.StrEnum):
    """Whether this `up` makes anything inside the cluster."""

    APPLIED = "applied"  # everything
    DEFERRED = "deferred"  # stop at the cluster: the first `up` of a private endpoint that cannot be reached yet


class AccessLevel(enum.StrEnum):
    """What an access entry may do in the cluster."""

    ADMIN = "admin"  # AmazonEKSClusterAdminPolicy
    READER = "reader"  # AmazonEKSViewPolicy
    GROUPS = "groups"  # nothing but what its Kubernetes groups are bound to


class LogType(enum.StrEnum):
    """The control plane's logs (EKS user guide, control plane logging)."""

    API = "api"
    AUDIT = "audit"
    AUTHENTICATOR = "authenticator"
    CONTROLLER_MANAGER = "controllerManager"
    SCHEDULER = "scheduler"


class Endpoint(Model):
    """How the Kubernetes API is reached (F4)."""

    access: EndpointAccess = EndpointAccess.PRIVATE
    """`private`: from inside the network only. `public`: from `public_cidrs` too."""
    public_cidrs: tuple[Cidr, ...] = ()
    """The only networks that reach a public endpoint; 0.0.0.0/0 is refused."""


class AccessEntry(Model):
    """One IAM principal that may enter the cluster (F3)."""

    name: Name
    principal_arn: Arn
    level: AccessLevel
    groups: tuple[Group, ...] = ()
    """Kubernetes groups; only with level `groups`."""


class Cluster(Model):
    """The EKS control plane (F2-F6)."""

    name: Annotated[str, Field(pattern=names.DNS_LABEL.pattern, max_length=names.MAX_CLUSTER_NAME)]
    version: str = versions.KUBERNETES.version
    """Kubernetes minor version; pinned, raised on purpose."""
    endpoint: Endpoint = Endpoint()
    contents: Contents = Contents.APPLIED
    """`deferred` stops before anything inside the cluster is made: for the first `up` of a private endpoint."""
    access_entries: tuple[AccessEntry, ...] = ()
    creator_arn: Arn | None = None
    """The role or user, not its session, that makes the cluster by the first `pulumi up`. EKS makes it an admin."""
    log_types: tuple[LogType, ...] = tuple(LogType)
    """Control-plane logs that are kept; all five unless said otherwise."""
    log_retention_days: RetentionDays = 90
    """How long CloudWatch keeps the control plane's logs."""
    deletion_protection: bool = False
    """While this is true EKS refuses to delete the cluster, and the engine refuses before it touches what is in it."""
    service_cidr: Cidr = "172.20.0.0/16"
    """Addresses of Services: private ones, /24 to /12, that do not overlap the network."""


MAX_SYSTEM_NODES = 20


class SystemNodes(Model):
    """The managed node group for controllers, tainted so that nothing else lands there (F9)."""

    instance_types: Annotated[tuple[str, ...], Field(min_length=1)] = ("m7i.large",)
    nodes: Annotated[int, Field(ge=2, le=MAX_SYSTEM_NODES)] = 4
    """Two at least: Karpenter runs two replicas on different hosts. While one is replaced, the others carry every
    controller; four do with queues and monitoring, three without queues."""
    root_volume_gib: Annotated[int, Field(ge=20, le=1000)] = 50


class FeatureGates(Model):
    """Karpenter's alpha gates, on because the standard needs them (decision: alpha gates are settings)."""

    node_overlay: bool = True
    """NodeOverlay: slices and shares known to the autoscaler."""
    static_capacity: bool = True
    """Static NodePools: a fixed number of nodes for chiefs."""
