"""What a stack publishes about its teams: namespaces, limits, queues, and what their workloads reach."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from gpuplatform.plan.teams import limit, names_of_pools, queued
from gpuplatform.settings.settings import Settings
from gpuplatform.settings.tenants import Scheduling, Tenant
from gpuplatform.standard import names


class Output(BaseModel):
    """A part of the published document."""

    # Unknown keys are ignored: a newer stack may publish keys that this reader does not know.
    model_config = ConfigDict(frozen=True, extra="ignore")


class BucketOutput(Output):
    """A bucket, or a part of one, that a namespace's service account reaches."""

    name: str
    prefix: str
    access: str


class NetworkExceptionOutput(Output):
    """Traffic that a namespace is allowed in addition to DNS, its own pods and HTTPS."""

    name: str
    direction: str
    namespace: str | None = None
    cidr: str | None = None
    ports: tuple[int, ...]


class NamespaceOutput(Output):
    """A team's namespace. Fields with a default are missing in documents of older releases."""

    name: str
    environment: str
    service_account: str
    quota: dict[str, int]
    """How much of each resource the namespace is guaranteed."""
    limits: dict[str, int] = {}
    """The most of each resource that the namespace holds at one time: its quota plus what its team may borrow."""
    scheduling: str | None = None
    """``queued`` or ``serving``."""
    priorities: tuple[str, ...]
    queue: str | None = None
    """The namespace's LocalQueue; None where it is not queued."""
    max_pods: int | None = None
    pod_security: str | None = None
    people_role: str | None = None
    """The Kubernetes Role that the team's groups are bound to."""
    shell: bool = False
    workload_role: str | None = None
    """The IAM role that the service account assumes; None where it reaches no bucket."""
    buckets: tuple[BucketOutput, ...] = ()
    network: tuple[NetworkExceptionOutput, ...] = ()
    pools: tuple[str, ...] = ()
    """The GPU and Neuron pools that it may use; CPU pools are open to all."""
    readable_configs: tuple[str, ...] = ()
    """The ConfigMaps that its service account reads."""
    readable_secrets: tuple[str, ...] = ()
    default_cpu_millis: int | None = None
    """The default CPU request of a container."""
    default_memory_mib: int | None = None
    """The default memory request and limit of a container."""


class QueueOutput(Output):
    """The team's place among the queues."""

    name: str
    """Name of the team's ClusterQueue."""
    weight: int
    borrow: dict[str, int]
    keep: dict[str, int]


class TenantOutput(Output):
    """A team."""

    name: str
    team: str
    groups: tuple[str, ...] = ()
    queue: QueueOutput | None = None
    """None where the team has no queued namespace."""
    namespaces: tuple[NamespaceOutput, ...]


def tenant_output(tenant: Tenant, settings: Settings) -> TenantOutput:
    """What a stack publishes about one of its teams."""
    queue = tenant.queue
    return TenantOutput(
        name=tenant.name,
        team=tenant.team,
        groups=tenant.groups,
        queue=QueueOutput(name=tenant.name, weight=queue.weight, borrow=queue.borrow, keep=queue.keep)
        if queued(tenant)
        else None,
        namespaces=tuple(
            NamespaceOutput(
                name=namespace.name,
                environment=namespace.environment,
                service_account=namespace.service_account,
                quota=namespace.quota,
                limits={
                    resource: most
                    for resource in {**namespace.quota, **queue.borrow}
                    if (most := limit(tenant, namespace, resource))
                },
                scheduling=namespace.scheduling.value,
                priorities=namespace.priorities,
                queue=names.LOCAL_QUEUE if namespace.scheduling is Scheduling.QUEUED else None,
                max_pods=namespace.max_pods,
                pod_security=namespace.pod_security.value,
                people_role=names.team_role(tenant.name) if tenant.groups else None,
                shell=namespace.shell,
                workload_role=names.workload_role(settings.cluster.name, namespace.name) if namespace.buckets else None,
                buckets=tuple(
                    BucketOutput.model_validate(bucket.model_dump(mode="json")) for bucket in namespace.buckets
                ),
                network=tuple(
                    NetworkExceptionOutput.model_validate(exception.model_dump(mode="json"))
                    for exception in namespace.network
                ),
                pools=names_of_pools(namespace, settings.pools, settings.neuron_pools),
                readable_configs=namespace.readable_configs,
                readable_secrets=namespace.readable_secrets,
                default_cpu_millis=namespace.default_cpu_millis,
                default_memory_mib=namespace.default_memory_mib,
            )
            for namespace in tenant.namespaces
        ),
    )
