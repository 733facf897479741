"""What a stack tells of its teams: their namespaces, limits, queues, and what their workloads reach (E7)."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from gpuplatform.settings.settings import Settings
from gpuplatform.settings.teams import limit, names_of_pools, queued
from gpuplatform.settings.tenants import Scheduling, Tenant
from gpuplatform.standard import names


class Output(BaseModel):
    """A part of the published document."""

    # Unknown keys are let through: a newer stack may say more than this reader knows.
    model_config = ConfigDict(frozen=True, extra="ignore")


class BucketOutput(Output):
    """A bucket, or a part of one, that a namespace's service account reaches."""

    name: str
    prefix: str
    access: str


class NetworkExceptionOutput(Output):
    """Traffic that a namespace is allowed beside names, its own pods and HTTPS."""

    name: str
    direction: str
    namespace: str | None = None
    cidr: str | None = None
    ports: tuple[int, ...]


class NamespaceOutput(Output):
    """A team's namespace. What has a default, an older release did not publish."""

    name: str
    environment: str
    service_account: str
    quota: dict[str, int]
    """What it is guaranteed of each resource."""
    limits: dict[str, int] = {}
    """The most of each that it holds at one time: its quota, and what its team may borrow."""
    scheduling: str | None = None
    """``queued`` or ``serving``."""
    priorities: tuple[str, ...]
    queue: str | None = None
    """The LocalQueue of a namespace that is queued."""
    max_pods: int | None = None
    pod_security: str | None = None
    people_role: str | None = None
    """The Kubernetes Role that the team's groups are bound to."""
    shell: bool = False
    workload_role: str | None = None
    """The IAM role that the service account takes, where it reaches buckets."""
    buckets: tuple[BucketOutput, ...] = ()
    network: tuple[NetworkExceptionOutput, ...] = ()
    pools: tuple[str, ...] = ()
    """The GPU and Neuron pools that it may use; CPU pools are open to all."""
    readable_configs: tuple[str, ...] = ()
    """The ConfigMaps that its service account reads."""
    readable_secrets: tuple[str, ...] = ()
    default_cpu_millis: int | None = None
    """What a container asks for that says nothing."""
    default_memory_mib: int | None = None
    """The same, and its limit."""


class QueueOutput(Output):
    """The team's place among the queues."""

    name: str
    """Of its ClusterQueue."""
    weight: int
    borrow: dict[str, int]
    keep: dict[str, int]


class TenantOutput(Output):
    """A team."""

    name: str
    team: str
    groups: tuple[str, ...] = ()
    queue: QueueOutput | None = None
    """None where none of its namespaces waits in a queue."""
    namespaces: tuple[NamespaceOutput, ...]


def tenant_output(tenant: Tenant, settings: Settings) -> TenantOutput:
    """What a stack tells of one of its teams."""
    place = tenant.queue
    return TenantOutput(
        name=tenant.name,
        team=tenant.team,
        groups=tenant.groups,
        queue=QueueOutput(name=tenant.name, weight=place.weight, borrow=place.borrow, keep=place.keep)
        if queued(tenant)
        else None,
        namespaces=tuple(
            NamespaceOutput(
                name=each.name,
                environment=each.environment,
                service_account=each.service_account,
                quota=each.quota,
                limits={one: most for one in {**each.quota, **place.borrow} if (most := limit(tenant, each, one))},
                scheduling=each.scheduling.value,
                priorities=each.priorities,
                queue=names.LOCAL_QUEUE if each.scheduling is Scheduling.QUEUED else None,
                max_pods=each.max_pods,
                pod_security=each.pod_security.value,
                people_role=names.team_role(tenant.name) if tenant.groups else None,
                shell=each.shell,
                workload_role=names.workload_role(settings.cluster.name, each.name) if each.buckets else None,
                buckets=tuple(BucketOutput.model_validate(one.model_dump(mode="json")) for one in each.buckets),
                network=tuple(
                    NetworkExceptionOutput.model_validate(one.model_dump(mode="json")) for one in each.network
                ),
                pools=names_of_pools(each, settings.pools, settings.neuron_pools),
                readable_configs=each.readable_configs,
                readable_secrets=each.readable_secrets,
                default_cpu_millis=each.default_cpu_millis,
                default_memory_mib=each.default_memory_mib,
            )
            for each in tenant.namespaces
        ),
    )
