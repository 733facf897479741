"""Every document and every chart value of a stack, in the groups in which Pulumi makes them.

What no other module renders is here too: priority classes, the ConfigMap that explains labels, and the values of the
device plugins of EFA and Neuron.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from gpuplatform.plan.node_pools import PlannedNodePool, efa_label, offered_resources, plan
from gpuplatform.plan.queues import QueuePlan, queue_plan
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
from gpuplatform.render.nodepools import NodePoolDocuments, cpu_nodepool, neuron_nodepool, nodepool, overlays
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

EFA_CHART = "aws-efa-k8s-device-plugin"
NEURON_CHART = "neuron-helm-chart"
_GUIDE = "gpu-node-labels-guide"
"""The name that the operations guide gives it."""
_GUIDE_NAMESPACE = "kube-system"


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
    """One for each pool, also for those that EKS provisions."""
    node_pools: tuple[NodePoolDocuments, ...]
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
            *(overlay for node_pool in self.node_pools for overlay in node_pool.overlays),
            *(node_pool.node_pool for node_pool in self.node_pools),
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


def render(settings: Settings) -> Rendered:
    """Every document and every chart value that a stack puts into its cluster."""
    planned = plan(settings.pools, settings.network.zones)
    node_classes = _node_classes(settings)
    watched = monitoring(settings)
    queues = queue_plan(settings)
    return Rendered(
        storage_class=storage_class(),
        node_classes=tuple(node_classes.values()),
        node_pools=tuple(_node_pools(settings, planned, node_classes)),
        operator_configs=(
            sharing.mig_config_map(planned, settings.earlier_sharing),
            sharing.plugin_config_map(settings.pools, settings.earlier_sharing),
            *((watched.counters,) if watched else ()),
        ),
        cluster_documents=(
            *_priority_classes(),
            _label_guide(settings.pools, settings.neuron_pools, settings.tenants),
            *((kueue_namespace(),) if queues.teams else ()),
        ),
        tenants=tuple(_tenants(settings)),
        operator_namespace=operator_namespace(),
        node_groups=tuple(
            node_group(node_pool, settings)
            for node_pool in planned
            if node_pool.pool.provisioner is Provisioner.MANAGED_NODE_GROUP
        ),
        karpenter_values=karpenter_values(settings),
        gpu_operator_values=gpu_operator_values(settings),
        queue_stages=queue_stages(queues),
        kueue_values=_kueue_values(settings, queues),
        device_plugin_values=_device_plugin_values(settings),
        monitoring=watched,
    )


def chart_values(settings: Settings) -> dict[str, Document]:
    """The values of every chart that a stack installs, by the chart's name, without rendering anything else."""
    return {
        "karpenter-crd": {},
        "karpenter": karpenter_values(settings),
        "gpu-operator": gpu_operator_values(settings),
        **_device_plugin_values(settings),
        **_kueue_values(settings, queue_plan(settings)),
        **(monitoring_values(settings) if settings.monitoring.enabled else {}),
    }


def _node_classes(settings: Settings) -> dict[str, Document]:
    """The EC2NodeClass of each pool, by the pool's name."""
    without_cards = (*settings.cpu_pools, *settings.neuron_pools)
    return {pool.name: gpu_node_class(pool, settings) for pool in settings.pools} | {
        pool.name: plain_node_class(pool.name, settings) for pool in without_cards
    }


def _node_pools(
    settings: Settings, planned: Iterable[PlannedNodePool], node_classes: Mapping[str, Document]
) -> Iterator[NodePoolDocuments]:
    """The NodePools of GPU, then CPU, then Neuron pools; ``node_classes`` are by the pool's name."""
    for node_pool in planned:
        if node_pool.pool.provisioner is not Provisioner.KARPENTER:
            continue
        # An overlay adds a resource that pods request; pods of a pool with dra request none.
        is_overlaid = settings.feature_gates.node_overlay and not node_pool.pool.dra
        yield NodePoolDocuments(
            node_class=node_classes[node_pool.pool.name],
            overlays=tuple(overlays(node_pool)) if is_overlaid else (),
            node_pool=nodepool(node_pool, settings.aliases),
        )
    for pool in settings.cpu_pools:
        yield NodePoolDocuments(node_classes[pool.name], (), cpu_nodepool(pool, settings.network.zones))
    for pool in settings.neuron_pools:
        yield NodePoolDocuments(node_classes[pool.name], (), neuron_nodepool(pool, settings.network.zones))


def _tenants(settings: Settings) -> Iterator[TenantDocuments]:
    """The documents of each namespace, in the order of the settings."""
    offered = offered_resources(settings.pools, settings.neuron_pools)
    for tenant in settings.tenants:
        for namespace in tenant.namespaces:
            yield TenantDocuments(
                namespace=namespace_document(tenant, namespace),
                contents=(
                    *namespace_contents(tenant, namespace, offered),
                    *dra.tenant_documents(namespace, settings.pools),
                ),
                identity=bucket_identity(settings.cluster.name, namespace),
            )


def _kueue_values(settings: Settings, queues: QueuePlan) -> dict[str, Document]:
    """By the chart's name; empty where no namespace is queued."""
    return {KUEUE_CHART: kueue_values(queues, settings.queues)} if queues.teams else {}


def _device_plugin_values(settings: Settings) -> dict[str, Document]:
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
    return values | dra.chart_values(settings)


def _priority_classes() -> list[Document]:
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


def _label_guide(pools: Iterable[Pool], neuron_pools: Iterable[NeuronPool], tenants: Iterable[Tenant]) -> Document:
    """The ConfigMap that explains labels to users: the standard, each GPU pool's block, each namespace's pools."""
    gpu, neuron = tuple(pools), tuple(neuron_pools)
    data = {"standard": _standard()}
    data |= {f"pool.{pool.name}": as_yaml(block(pool).as_pod_fragment()) for pool in gpu}
    data |= {
        f"namespace.{namespace.name}": as_yaml({"pools": list(names_of_pools(namespace, gpu, neuron))})
        for tenant in tenants
        for namespace in tenant.namespaces
    }
    return kubernetes_object("v1", "ConfigMap", _GUIDE, _GUIDE_NAMESPACE, data=data)


def _standard() -> str:
    lines: list[str] = []
    for label in STANDARD:
        values = " | ".join(label.values) if label.values else "as the catalog names it"
        lines.append(f"{label.level.value} {label.key}: {values}\n  {label.meaning} On {label.required}.\n")
    return "".join(lines)
