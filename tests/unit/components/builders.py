"""Builders for every component, by its class; the inputs of a component are given, not built."""

from __future__ import annotations

from collections.abc import Callable

import pulumi
from pulumi_kubernetes.provider import Provider

from components.admission import Admission, AdmissionArgs
from components.cluster import Cluster, ClusterArgs
from components.gpu_operator import DevicePlugins, DevicePluginsArgs, GpuOperator, GpuOperatorArgs
from components.handles import ClusterHandle, NetworkHandle
from components.karpenter import Karpenter, KarpenterArgs
from components.monitoring import Monitoring, MonitoringArgs
from components.network import Network, NetworkArgs
from components.node_groups import NodeGroups, NodeGroupsArgs
from components.node_pools import NodePools, NodePoolsArgs
from components.queues import Queues, QueuesArgs
from components.storage import Storage, StorageArgs
from components.tenants import Tenants, TenantsArgs
from gpuplatform.analysis.placement.stack import stack_view
from gpuplatform.render.stack import render
from gpuplatform.settings.settings import Settings
from gpuplatform.settings.source import Plain
from policies.admission.documents import admission_documents
from tests.builders import (
    ZONES,
    a_card,
    a_market,
    a_namespace,
    a_pool,
    a_shared_pool,
    a_slice_pool,
    a_static_pool,
    a_tenant,
    some_settings,
)

GIVEN = "given"
"""The name of the provider that stands for a cluster's API."""

Builder = Callable[[str, Settings, pulumi.ResourceOptions | None], pulumi.ComponentResource]

_SUBNETS = {zone: f"subnet-0123456789abcde{zone[-1]}" for zone in ZONES}
_NETWORK = NetworkHandle("vpc-0123456789abcdef0", tuple(_SUBNETS.values()), _SUBNETS)


def full_settings(**overrides: Plain) -> Settings:
    """Settings of which every component has something to make; the overrides are plain data."""
    efa = a_pool(name="wide", purpose="train", efa=True, cards=[a_card("H100-80GB", ["p5.48xlarge"], [a_market()])])
    neuron: dict[str, Plain] = {
        "name": "inferentia",
        "instance_types": ["inf2.xlarge"],
        "ceiling_devices": 4,
        "disruption": {"consolidation": "WhenEmpty", "consolidate_after_minutes": 5},
    }
    static = a_static_pool(provisioner="managed-node-group")
    base: dict[str, Plain] = {
        "pools": [a_pool(), static, a_slice_pool(), a_shared_pool(), efa],
        "neuron_pools": [neuron],
        "tenants": [a_tenant(), a_tenant(name="queued", namespaces=[a_namespace(name="queued", scheduling="queued")])],
    }
    return some_settings(**{**base, **overrides})


def given_cluster() -> ClusterHandle:
    """A handle of an existing cluster."""
    kubeconfig = pulumi.Output.secret("{}")
    provider = Provider(GIVEN, kubeconfig=kubeconfig)
    return ClusterHandle(pulumi.Output.from_input("https://given.example"), kubeconfig, provider)


def network(name: str, settings: Settings, opts: pulumi.ResourceOptions | None = None) -> Network:
    args = NetworkArgs(network=settings.network, cluster=settings.cluster.name, region=settings.region)
    return Network(name, args, opts)


def cluster(name: str, settings: Settings, opts: pulumi.ResourceOptions | None = None) -> Cluster:
    return Cluster(name, ClusterArgs(settings=settings, network=_NETWORK), opts)


def karpenter(name: str, settings: Settings, opts: pulumi.ResourceOptions | None = None) -> Karpenter:
    values = render(settings).karpenter_values
    return Karpenter(name, KarpenterArgs(settings=settings, cluster=given_cluster(), values=values), opts)


def gpu_operator(name: str, settings: Settings, opts: pulumi.ResourceOptions | None = None) -> GpuOperator:
    documents = render(settings)
    args = GpuOperatorArgs(
        cluster=given_cluster(),
        namespace=documents.operator_namespace,
        configs=documents.operator_configs,
        values=documents.gpu_operator_values,
    )
    return GpuOperator(name, args, opts)


def device_plugins(name: str, settings: Settings, opts: pulumi.ResourceOptions | None = None) -> DevicePlugins:
    values = render(settings).device_plugin_values
    return DevicePlugins(name, DevicePluginsArgs(cluster=given_cluster(), values=values), opts)


def node_pools(name: str, settings: Settings, opts: pulumi.ResourceOptions | None = None) -> NodePools:
    documents = render(settings)
    args = NodePoolsArgs(cluster=given_cluster(), node_classes=documents.node_classes, node_pools=documents.node_pools)
    return NodePools(name, args, opts)


def node_groups(name: str, settings: Settings, opts: pulumi.ResourceOptions | None = None) -> NodeGroups:
    groups = render(settings).node_groups
    return NodeGroups(name, NodeGroupsArgs(settings=settings, network=_NETWORK, groups=groups), opts)


def tenants(name: str, settings: Settings, opts: pulumi.ResourceOptions | None = None) -> Tenants:
    documents = render(settings)
    args = TenantsArgs(
        cluster=given_cluster(), cluster_documents=documents.cluster_documents, tenants=documents.tenants
    )
    return Tenants(name, args, opts)


def queues(name: str, settings: Settings, opts: pulumi.ResourceOptions | None = None) -> Queues:
    """Kueue and its objects."""
    rendered = render(settings)
    args = QueuesArgs(cluster=given_cluster(), values=rendered.kueue_values, stages=rendered.queue_stages)
    return Queues(name, args, opts)


def admission(name: str, settings: Settings, opts: pulumi.ResourceOptions | None = None) -> Admission:
    documents = admission_documents(stack_view(settings), settings.admission)
    return Admission(name, AdmissionArgs(cluster=given_cluster(), documents=documents), opts)


def storage(name: str, settings: Settings, opts: pulumi.ResourceOptions | None = None) -> Storage:
    args = StorageArgs(cluster=given_cluster(), storage_class=render(settings).storage_class)
    return Storage(name, args, opts)


def monitoring(name: str, settings: Settings, opts: pulumi.ResourceOptions | None = None) -> Monitoring:
    args = MonitoringArgs(cluster=given_cluster(), settings=settings, documents=render(settings).monitoring)
    return Monitoring(name, args, opts)


BUILDERS: dict[type[pulumi.ComponentResource], Builder] = {
    Admission: admission,
    Monitoring: monitoring,
    Network: network,
    Cluster: cluster,
    Karpenter: karpenter,
    GpuOperator: gpu_operator,
    DevicePlugins: device_plugins,
    Queues: queues,
    NodePools: node_pools,
    NodeGroups: node_groups,
    Storage: storage,
    Tenants: tenants,
}
