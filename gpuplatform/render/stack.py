"""Every document of a stack, in the groups in which they are made."""

from __future__ import annotations

from dataclasses import dataclass

from gpuplatform.render import dra, sharing
from gpuplatform.render.buckets import BucketIdentity, bucket_identity
from gpuplatform.render.device_plugins import device_plugin_values
from gpuplatform.render.document import Document
from gpuplatform.render.gpu_operator import gpu_operator_values, operator_namespace
from gpuplatform.render.guide import label_guide
from gpuplatform.render.karpenter import karpenter_values
from gpuplatform.render.monitoring.stack import MonitoringDocuments, monitoring
from gpuplatform.render.monitoring.values import monitoring_values
from gpuplatform.render.node_classes import gpu_node_class, plain_node_class
from gpuplatform.render.node_groups import NodeGroup, node_group
from gpuplatform.render.nodepools import nodepool
from gpuplatform.render.other_nodepools import cpu_nodepool, neuron_nodepool
from gpuplatform.render.overlays import overlays
from gpuplatform.render.priorities import priority_classes
from gpuplatform.render.queues.objects import queue_stages
from gpuplatform.render.queues.values import CHART as KUEUE_CHART
from gpuplatform.render.queues.values import kueue_namespace, kueue_values
from gpuplatform.render.storage import storage_class
from gpuplatform.render.tenants import namespace_contents, namespace_document
from gpuplatform.settings.flavors import queue_plan
from gpuplatform.settings.plan import offered_resources, plan
from gpuplatform.settings.pools import Provisioner
from gpuplatform.settings.settings import Settings


@dataclass(frozen=True, slots=True)
class TenantDocuments:
    """One namespace and what stands in it."""

    namespace: Document
    contents: tuple[Document, ...]
    identity: BucketIdentity | None
    """What its service account is in AWS; None where it needs nothing there."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """A stack's documents and chart values."""

    storage_class: Document
    node_classes: tuple[Document, ...]
    node_pools: tuple[Document, ...]
    overlays: tuple[Document, ...]
    operator_configs: tuple[Document, ...]
    """ConfigMaps that the GPU Operator reads; they stand in its namespace before it starts."""
    cluster_documents: tuple[Document, ...]
    """Priority classes and the label guide."""
    tenants: tuple[TenantDocuments, ...]
    operator_namespace: Document
    node_groups: tuple[NodeGroup, ...]
    """Static pools that EKS makes instead of Karpenter."""
    karpenter_values: Document
    gpu_operator_values: Document
    queue_stages: tuple[tuple[Document, ...], ...]
    """What Kueue reads, each stage in need of the one before; empty where no namespace is queued."""
    kueue_values: dict[str, Document]
    """By the chart's name; empty where no namespace is queued."""
    device_plugin_values: dict[str, Document]
    """By the chart's name; only the charts that some pool needs."""
    monitoring: MonitoringDocuments | None
    """None where the stack is watched by something else."""

    @property
    def documents(self) -> tuple[Document, ...]:
        """Every Kubernetes object, each once."""
        of_tenants = [each for tenant in self.tenants for each in (tenant.namespace, *tenant.contents)]
        return (
            self.storage_class,
            *self.cluster_documents,
            *self.node_classes,
            *self.overlays,
            *self.node_pools,
            self.operator_namespace,
            *self.operator_configs,
            *of_tenants,
            *((*self.monitoring.namespaces, *self.monitoring.documents) if self.monitoring else ()),
            *(each for stage in self.queue_stages for each in stage),
        )

    @property
    def values(self) -> dict[str, Document]:
        """Chart values by the chart's name."""
        own = {"karpenter": self.karpenter_values, "gpu-operator": self.gpu_operator_values}
        watched = self.monitoring.values if self.monitoring else {}
        return own | self.device_plugin_values | self.kueue_values | watched

    @property
    def node_group_inputs(self) -> dict[str, Document]:
        """The EKS inputs of each managed node group, by its name."""
        return {group.name: group.as_inputs() for group in self.node_groups}


def chart_values(settings: Settings) -> dict[str, Document]:
    """The values of every chart that a stack installs, by the chart's name; nothing else is rendered for them."""
    queues = queue_plan(settings)
    return {
        "karpenter-crd": {},
        "karpenter": karpenter_values(settings),
        "gpu-operator": gpu_operator_values(settings),
        **device_plugin_values(settings),
        **dra.chart_values(settings),
        **({KUEUE_CHART: kueue_values(queues, settings.queues)} if queues.teams else {}),
        **(monitoring_values(settings) if settings.monitoring.enabled else {}),
    }


def render(settings: Settings) -> Rendered:
    """Everything that a stack puts into its cluster."""
    zones = settings.network.zones
    planned = plan(settings.pools, zones)
    by_karpenter = [each for each in planned if each.pool.provisioner is Provisioner.KARPENTER]
    gates = settings.feature_gates
    offered = offered_resources(settings.pools, settings.neuron_pools)
    watched = monitoring(settings)
    queues = queue_plan(settings)
    return Rendered(
        storage_class=storage_class(),
        node_classes=(
            *(gpu_node_class(pool, settings) for pool in settings.pools),
            *(plain_node_class(pool.name, settings) for pool in (*settings.cpu_pools, *settings.neuron_pools)),
        ),
        node_pools=(
            *(nodepool(each, settings.aliases) for each in by_karpenter),
            *(cpu_nodepool(pool, zones) for pool in settings.cpu_pools),
            *(neuron_nodepool(pool, zones) for pool in settings.neuron_pools),
        ),
        overlays=tuple(
            document
            for each in by_karpenter
            # An overlay adds a resource that pods count, and the pods of this pool count none.
            if gates.node_overlay and not each.pool.dra
            for document in overlays(each)
        ),
        operator_configs=(
            sharing.mig_config_map(planned, settings.earlier_sharing),
            sharing.plugin_config_map(settings.pools, settings.earlier_sharing),
            *((watched.counters,) if watched else ()),
        ),
        cluster_documents=(
            *priority_classes(),
            label_guide(settings.pools, settings.neuron_pools, settings.tenants),
            *((kueue_namespace(),) if queues.teams else ()),
        ),
        tenants=tuple(
            TenantDocuments(
                namespace_document(tenant, each),
                (*namespace_contents(tenant, each, offered), *dra.tenant_documents(each, settings.pools)),
                bucket_identity(settings.cluster.name, each),
            )
            for tenant in settings.tenants
            for each in tenant.namespaces
        ),
        operator_namespace=operator_namespace(),
        node_groups=tuple(node_group(each, settings) for each in planned if each not in by_karpenter),
        karpenter_values=karpenter_values(settings),
        gpu_operator_values=gpu_operator_values(settings),
        queue_stages=queue_stages(queues),
        kueue_values={KUEUE_CHART: kueue_values(queues, settings.queues)} if queues.teams else {},
        device_plugin_values=device_plugin_values(settings) | dra.chart_values(settings),
        monitoring=watched,
    )
