"""Every document of a stack, in the groups in which Pulumi makes them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gpuplatform.plan.node_pools import efa_label, offered_resources, plan
from gpuplatform.plan.queues import queue_plan
from gpuplatform.plan.teams import names_of_pools
from gpuplatform.render import dra, sharing
from gpuplatform.render.addons import storage_class
from gpuplatform.render.block import block
from gpuplatform.render.buckets import BucketIdentity, bucket_identity
from gpuplatform.render.document import Document, as_yaml, kubernetes_object
from gpuplatform.render.gpu_operator import gpu_node_tolerations, gpu_operator_values, operator_namespace
from gpuplatform.render.karpenter import karpenter_values
from gpuplatform.render.monitoring.stack import MonitoringDocuments, monitoring
from gpuplatform.render.monitoring.values import monitoring_values
from gpuplatform.render.node_classes import gpu_node_class, plain_node_class
from gpuplatform.render.node_groups import NodeGroup, node_group
from gpuplatform.render.nodepools import cpu_nodepool, neuron_nodepool, nodepool, overlays
from gpuplatform.render.queues.objects import queue_stages
from gpuplatform.render.queues.values import CHART as KUEUE_CHART
from gpuplatform.render.queues.values import kueue_namespace, kueue_values
from gpuplatform.render.tenants import namespace_contents, namespace_document
from gpuplatform.settings.pools import NeuronPool, Pool, Provisioner
from gpuplatform.settings.settings import Settings
from gpuplatform.settings.tenants import Tenant
from gpuplatform.standard.labels import STANDARD
from gpuplatform.standard.priorities import PREEMPTION_POLICY, PRIORITIES
from gpuplatform.standard.taints import NEURON_TAINT
from gpuplatform.standard.versions import eks_registry


@dataclass(frozen=True, slots=True)
class TenantDocuments:
    """One namespace and the documents inside it."""

    namespace: Document
    contents: tuple[Document, ...]
    identity: BucketIdentity | None
    """The AWS identity of its service account; None where the account needs no access to AWS."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """A stack's documents and chart values."""

    storage_class: Document
    node_classes: tuple[Document, ...]
    node_pools: tuple[Document, ...]
    overlays: tuple[Document, ...]
    operator_configs: tuple[Document, ...]
    """ConfigMaps that the GPU Operator reads; they are in its namespace before it starts."""
    cluster_documents: tuple[Document, ...]
    """Priority classes and the label guide."""
    tenants: tuple[TenantDocuments, ...]
    operator_namespace: Document
    node_groups: tuple[NodeGroup, ...]
    """The node groups of static pools that EKS provisions instead of Karpenter."""
    karpenter_values: Document
    gpu_operator_values: Document
    queue_stages: tuple[tuple[Document, ...], ...]
    """The objects that Kueue reads; each stage needs the one before it. Empty where no namespace is queued."""
    kueue_values: dict[str, Document]
    """By the chart's name; empty where no namespace is queued."""
    device_plugin_values: dict[str, Document]
    """By the chart's name; only the charts that some pool needs."""
    monitoring: MonitoringDocuments | None
    """None where the settings switch monitoring off."""

    @property
    def documents(self) -> tuple[Document, ...]:
        """Every Kubernetes object, each once."""
        of_tenants = [document for tenant in self.tenants for document in (tenant.namespace, *tenant.contents)]
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
            *(document for stage in self.queue_stages for document in stage),
        )

    @property
    def values(self) -> dict[str, Document]:
        """Chart values by the chart's name."""
        always = {"karpenter": self.karpenter_values, "gpu-operator": self.gpu_operator_values}
        watched = self.monitoring.values if self.monitoring else {}
        return always | self.device_plugin_values | self.kueue_values | watched

    @property
    def node_group_inputs(self) -> dict[str, Document]:
        """The EKS inputs of each managed node group, by its name."""
        return {group.name: group.as_inputs() for group in self.node_groups}


def chart_values(settings: Settings) -> dict[str, Document]:
    """The values of every chart that a stack installs, by the chart's name, without rendering anything else."""
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
    """Every document and every chart value that a stack puts into its cluster."""
    zones = settings.network.zones
    planned = plan(settings.pools, zones)
    by_karpenter = [node_pool for node_pool in planned if node_pool.pool.provisioner is Provisioner.KARPENTER]
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
            *(nodepool(node_pool, settings.aliases) for node_pool in by_karpenter),
            *(cpu_nodepool(pool, zones) for pool in settings.cpu_pools),
            *(neuron_nodepool(pool, zones) for pool in settings.neuron_pools),
        ),
        overlays=tuple(
            document
            for node_pool in by_karpenter
            # An overlay adds a resource that pods request; pods of a pool with dra request none.
            if gates.node_overlay and not node_pool.pool.dra
            for document in overlays(node_pool)
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
                namespace_document(tenant, namespace),
                (*namespace_contents(tenant, namespace, offered), *dra.tenant_documents(namespace, settings.pools)),
                bucket_identity(settings.cluster.name, namespace),
            )
            for tenant in settings.tenants
            for namespace in tenant.namespaces
        ),
        operator_namespace=operator_namespace(),
        node_groups=tuple(node_group(node_pool, settings) for node_pool in planned if node_pool not in by_karpenter),
        karpenter_values=karpenter_values(settings),
        gpu_operator_values=gpu_operator_values(settings),
        queue_stages=queue_stages(queues),
        kueue_values={KUEUE_CHART: kueue_values(queues, settings.queues)} if queues.teams else {},
        device_plugin_values=device_plugin_values(settings) | dra.chart_values(settings),
        monitoring=watched,
    )


EFA_CHART = "aws-efa-k8s-device-plugin"
NEURON_CHART = "neuron-helm-chart"


def device_plugin_values(settings: Settings) -> dict[str, Document]:
    """Chart values by the chart's name: only the charts that some pool needs."""
    values: dict[str, Document] = {}
    if any(pool.efa for pool in settings.pools):
        values[EFA_CHART] = {
            # The chart names the registry of us-west-2 in every region; the repository's path is the same everywhere.
            "image": {"repository": f"{eks_registry(settings.region)}/eks/{EFA_CHART}"},
            "tolerations": gpu_node_tolerations(settings),
            # The plugin fails on a node without EFA, and the chart selects nodes by instance type only; it takes a node
            # selector besides (aws/eks-charts v0.5.30, templates/daemonset.yaml).
            "nodeSelector": efa_label(),
        }
    if settings.neuron_pools:
        tolerated = {"key": NEURON_TAINT.key, "operator": "Exists", "effect": NEURON_TAINT.effect.value}
        values[NEURON_CHART] = {"npd": {"enabled": False}, "devicePlugin": {"tolerations": [tolerated]}}
    return values


def priority_classes() -> list[Document]:
    """The three priority classes, highest first."""
    return [
        kubernetes_object(
            "scheduling.k8s.io/v1",
            "PriorityClass",
            priority.name,
            value=priority.value,
            globalDefault=False,
            preemptionPolicy=PREEMPTION_POLICY,
            description=priority.meaning,
        )
        for priority in PRIORITIES
    ]


NAME = "gpu-node-labels-guide"
"""The name that the operations guide gives it."""
NAMESPACE = "kube-system"


def label_guide(pools: Iterable[Pool], neuron_pools: Iterable[NeuronPool], tenants: Iterable[Tenant]) -> Document:
    """The ConfigMap that explains labels to users: the standard, each GPU pool's block, each namespace's pools."""
    gpu, neuron = tuple(pools), tuple(neuron_pools)
    data = {"standard": _standard()}
    data |= {f"pool.{pool.name}": as_yaml(block(pool).as_pod_fragment()) for pool in gpu}
    data |= {
        f"namespace.{namespace.name}": as_yaml({"pools": list(names_of_pools(namespace, gpu, neuron))})
        for tenant in tenants
        for namespace in tenant.namespaces
    }
    return kubernetes_object("v1", "ConfigMap", NAME, NAMESPACE, data=data)


def _standard() -> str:
    lines: list[str] = []
    for label in STANDARD:
        values = " | ".join(label.values) if label.values else "as the catalog names it"
        lines.append(f"{label.level.value} {label.key}: {values}\n  {label.meaning} On {label.required}.\n")
    return "".join(lines)
