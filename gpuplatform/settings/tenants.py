"""Teams: their namespaces, who may enter, and how much they may use (Q1-Q5, Q10)."""

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
    """Who decides when a pod of the namespace may start."""

    QUEUED = "queued"  # Kueue: admitted by quota, all or nothing, preempted for whoever was lent from
    SERVING = "serving"  # the scheduler alone; Kueue does not look there


class Queue(Model):
    """The team's place among the queues of the stack; it counts where one of its namespaces is queued."""

    weight: Annotated[int, Field(ge=1, le=1000)] = 1
    """Its share of what is idle, beside the other teams' weights."""
    borrow: dict[str, Annotated[int, Field(ge=0)]] = {}
    """The most of each resource above its own quotas, while others leave it idle."""
    keep: dict[str, Annotated[int, Field(ge=0)]] = {}
    """How much of its own quotas it never lends."""


class BucketAccess(enum.StrEnum):
    """What the workloads of a namespace may do with a bucket's objects."""

    READ = "read"  # list and read
    WRITE = "write"  # list, read, write and delete


class Bucket(Model):
    """An S3 bucket that the namespace's service account reaches by Pod Identity; the bucket is somebody else's."""

    name: BucketName
    prefix: Annotated[str, Field(pattern=r"^([A-Za-z0-9!_.'()-]+/)*$", max_length=512)] = ""
    """The part of the bucket that is meant, such as `checkpoints/`; all of it where none is named."""
    access: BucketAccess


class Direction(enum.StrEnum):
    """Who begins the conversation."""

    IN = "in"  # the other side
    OUT = "out"  # pods of the namespace


class NetworkException(Model):
    """Traffic that a namespace is allowed beside names, its own pods and HTTPS: one NetworkPolicy, `allow-NAME`."""

    name: Name
    direction: Direction
    namespace: Name | None = None
    """The other side is every pod of this namespace."""
    cidr: Cidr | None = None
    """The other side is this network; one of the two."""
    ports: Annotated[tuple[Annotated[int, Field(ge=1, le=65535)], ...], Field(min_length=1)]
    """TCP ports: the namespace's own where traffic comes in, the other side's where it goes out."""


class Namespace(Model):
    """One namespace of a team."""

    name: Name
    environment: LabelValue
    """The label `env`, such as production."""
    scheduling: Scheduling = Scheduling.SERVING
    """`queued`: everything that asks for cards waits in the team's queue; `serving`: it starts at once, or not."""
    pools: tuple[PoolName, ...] = ()
    """The GPU and Neuron pools that it may use: no other takes its pods or serves its quota. By default the GPU pools
    of its priorities' purposes, and the Neuron pools if it has a quota of their devices. CPU pools are open to all."""
    quota: dict[str, Annotated[int, Field(ge=0)]] = {}
    """What is guaranteed of each card or slice resource: `nvidia.com/gpu: 8`, `nvidia.com/mig-1g.10gb: 14`. It is also
    the most at one time, but for what a queued namespace's team may borrow."""
    max_pods: Annotated[int, Field(ge=1, le=10000)] = 200
    priorities: Annotated[tuple[str, ...], Field(min_length=1)]
    """Priority classes that the namespace may use; the first is meant for it."""
    service_account: Name
    """The account its workloads run as; it mounts no token."""
    readable_configs: tuple[Name, ...] = ()
    """ConfigMaps that the service account may read, by name."""
    readable_secrets: tuple[Name, ...] = ()
    """Secrets that the service account may read, by name."""
    buckets: tuple[Bucket, ...] = ()
    """What the service account may reach in S3, under an IAM role of its own."""
    network: tuple[NetworkException, ...] = ()
    """Traffic that the namespace is allowed beside names, its own pods and HTTPS."""
    shell: bool = False
    """Whether the team's people may open a shell in its pods."""
    pod_security: PodSecurity = PodSecurity.BASELINE
    default_cpu_millis: Annotated[int, Field(ge=10)] = 500
    """CPU request of a container that names none."""
    default_memory_mib: Annotated[int, Field(ge=16)] = 1024
    """Memory request of a container that names none, and its limit; one that asks for more names a limit of its own."""


class Tenant(Model):
    """A team: one or more namespaces."""

    name: Name
    team: LabelValue
    groups: tuple[Group, ...] = ()
    """Kubernetes groups of the team's people, as access entries give them."""
    queue: Queue = Queue()
    namespaces: Annotated[tuple[Namespace, ...], Field(min_length=1)]
