"""Teams: their namespaces, who has access, and how much they may use."""

from __future__ import annotations

import enum
from typing import Annotated

from pydantic import Field

from gpuplatform.settings.model import BucketName, Cidr, Group, LabelValue, Model, Name, PoolName


class PodSecurity(enum.StrEnum):
    """Level of the Pod Security standard that a namespace enforces."""

    BASELINE = "baseline"
    RESTRICTED = "restricted"


class Scheduling(enum.StrEnum):
    """Which component decides when a pod of the namespace may start."""

    QUEUED = "queued"  # Kueue: admits a job by quota, all pods or none; the team that lent the quota may preempt it
    SERVING = "serving"  # only the scheduler; Kueue ignores the namespace


class Queue(Model):
    """The team's queue. It has an effect only where one of the team's namespaces is queued."""

    weight: Annotated[int, Field(ge=1, le=1000)] = 1
    """The team's share of idle resources, relative to the other teams' weights."""
    borrow: dict[str, Annotated[int, Field(ge=0)]] = {}
    """The most of each resource that the team may borrow above its quotas while other teams leave it idle."""
    keep: dict[str, Annotated[int, Field(ge=0)]] = {}
    """The part of its own quotas that the team never lends."""


class BucketAccess(enum.StrEnum):
    """How the workloads of a namespace may use a bucket's objects."""

    READ = "read"  # list and read
    WRITE = "write"  # list, read, write and delete


class Bucket(Model):
    """An S3 bucket that the namespace's service account reaches by Pod Identity. The stack does not make the bucket."""

    name: BucketName
    prefix: Annotated[str, Field(pattern=r"^([A-Za-z0-9!_.'()-]+/)*$", max_length=512)] = ""
    """The part of the bucket that may be used, such as `checkpoints/`; by default the whole bucket."""
    access: BucketAccess


class Direction(enum.StrEnum):
    """Which side opens the connection."""

    IN = "in"  # the other side
    OUT = "out"  # the pods of the namespace


class NetworkException(Model):
    """Traffic that a namespace is allowed in addition to DNS, its own pods and HTTPS: a NetworkPolicy `allow-NAME`."""

    name: Name
    direction: Direction
    namespace: Name | None = None
    """The other side is every pod of this namespace. Set either this or `cidr`."""
    cidr: Cidr | None = None
    """The other side is this network. Set either this or `namespace`."""
    ports: Annotated[tuple[Annotated[int, Field(ge=1, le=65535)], ...], Field(min_length=1)]
    """TCP ports: those of the namespace's pods for `in`, those of the other side for `out`."""


class Namespace(Model):
    """One namespace of a team."""

    name: Name
    environment: LabelValue
    """Value of the label `env`, such as production."""
    scheduling: Scheduling = Scheduling.SERVING
    """`queued`: work that requests cards waits in the team's queue. `serving`: pods go straight to the scheduler."""
    pools: tuple[PoolName, ...] = ()
    """The GPU and Neuron pools that the namespace may use, with its pods and its quota. Default: the GPU pools with a
    purpose of its priorities, and the Neuron pools if it has a quota of their devices. CPU pools are open to all."""
    quota: dict[str, Annotated[int, Field(ge=0)]] = {}
    """The guaranteed amount of each card or slice resource: `nvidia.com/gpu: 8`, `nvidia.com/mig-1g.10gb: 14`. It is
    also the most that the namespace may hold at one time; only the team of a queued namespace may borrow more."""
    max_pods: Annotated[int, Field(ge=1, le=10000)] = 200
    priorities: Annotated[tuple[str, ...], Field(min_length=1)]
    """Priority classes that the namespace may use; the first is its usual one."""
    service_account: Name
    """The service account of its workloads; its token is not mounted."""
    readable_configs: tuple[Name, ...] = ()
    """ConfigMaps that the service account may read, by name."""
    readable_secrets: tuple[Name, ...] = ()
    """Secrets that the service account may read, by name."""
    buckets: tuple[Bucket, ...] = ()
    """S3 buckets that the service account may use, by its own IAM role."""
    network: tuple[NetworkException, ...] = ()
    """Traffic that the namespace is allowed in addition to DNS, its own pods and HTTPS."""
    shell: bool = False
    """Whether the team's members may open a shell in its pods."""
    pod_security: PodSecurity = PodSecurity.BASELINE
    default_cpu_millis: Annotated[int, Field(ge=10)] = 500
    """CPU request of a container that sets none."""
    default_memory_mib: Annotated[int, Field(ge=16)] = 1024
    """Memory request and limit of a container that sets none. A container that requests more must set its own limit."""


class Tenant(Model):
    """A team: one or more namespaces."""

    name: Name
    team: LabelValue
    groups: tuple[Group, ...] = ()
    """Kubernetes groups of the team's members, as access entries name them."""
    queue: Queue = Queue()
    namespaces: Annotated[tuple[Namespace, ...], Field(min_length=1)]
