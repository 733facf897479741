"""The platform: from settings to components to outputs. This file only wires them; the settings make all decisions."""

from __future__ import annotations

import pulumi

from components.admission import Admission, AdmissionArgs
from components.cluster import Cluster, ClusterArgs
from components.gpu_operator import DevicePlugins, DevicePluginsArgs, GpuOperator, GpuOperatorArgs
from components.handles import ClusterHandle, NetworkHandle
from components.karpenter import Karpenter, KarpenterArgs
from components.monitoring import Monitoring, MonitoringArgs
from components.network import Network, NetworkArgs
from components.node_groups import NodeGroups, NodeGroupsArgs
from components.node_pools import NodePools, NodePoolsArgs
from components.program import last_published, providers, publish, settings_of_stack
from components.queues import Queues, QueuesArgs
from components.storage import Storage, StorageArgs
from components.tenants import Tenants, TenantsArgs
from gpuplatform.analysis.placement.stack import stack_view
from gpuplatform.outputs import describe
from gpuplatform.render.stack import Rendered, render
from gpuplatform.settings.cluster import Contents
from gpuplatform.settings.settings import Settings
from policies.admission.documents import admission_documents
from policies.gate import require_no_findings
from policies.judge import judge_stack


def foundation(settings: Settings) -> tuple[NetworkHandle, ClusterHandle, pulumi.ResourceOptions]:
    """The network and the cluster, and the resource options of everything that depends on them."""
    aws = providers(settings)
    on_aws = pulumi.ResourceOptions(providers=aws)
    network = Network(
        "network",
        NetworkArgs(network=settings.network, cluster=settings.cluster.name, region=settings.region),
        on_aws,
    )
    after_network = pulumi.ResourceOptions(providers=aws, depends_on=[network])
    cluster = Cluster("cluster", ClusterArgs(settings=settings, network=network.handle), after_network)
    return network.handle, cluster.handle, pulumi.ResourceOptions(providers=aws, depends_on=[cluster])


def contents(
    settings: Settings,
    documents: Rendered,
    network: NetworkHandle,
    cluster: ClusterHandle,
    after_cluster: pulumi.ResourceOptions,
) -> None:
    """Everything inside the cluster. A destroy runs in the reverse order."""
    storage_args = StorageArgs(cluster=cluster, storage_class=documents.storage_class)
    storage = Storage("storage", storage_args, after_cluster)
    karpenter = Karpenter(
        "karpenter",
        KarpenterArgs(settings=settings, cluster=cluster, values=documents.karpenter_values),
        after_cluster,
    )
    operator = GpuOperator(
        "gpu-operator",
        GpuOperatorArgs(
            cluster=cluster,
            namespace=documents.operator_namespace,
            configs=documents.operator_configs,
            values=documents.gpu_operator_values,
        ),
        after_cluster,
    )
    plugin_args = DevicePluginsArgs(cluster=cluster, values=documents.device_plugin_values)
    plugins = DevicePlugins("device-plugins", plugin_args, after_cluster)
    group_args = NodeGroupsArgs(settings=settings, network=network, groups=documents.node_groups)
    NodeGroups("static", group_args, after_cluster)
    NodePools(
        "pools",
        NodePoolsArgs(cluster=cluster, node_classes=documents.node_classes, node_pools=documents.node_pools),
        pulumi.ResourceOptions(depends_on=[karpenter, operator, plugins]),
    )
    tenants = Tenants(
        "tenants",
        TenantsArgs(cluster=cluster, cluster_documents=documents.cluster_documents, tenants=documents.tenants),
        after_cluster,
    )
    Queues(
        "queues",
        QueuesArgs(cluster=cluster, values=documents.kueue_values, stages=documents.queue_stages),
        pulumi.ResourceOptions(depends_on=[tenants]),
    )
    Monitoring(
        "monitoring",
        MonitoringArgs(cluster=cluster, settings=settings, documents=documents.monitoring),
        # Kueue acts on tenants' namespaces, and Prometheus claims a volume.
        pulumi.ResourceOptions.merge(after_cluster, pulumi.ResourceOptions(depends_on=[tenants, storage])),
    )
    in_cluster = admission_documents(stack_view(settings), settings.admission)
    Admission("admission", AdmissionArgs(cluster=cluster, documents=in_cluster), after_cluster)


stack_settings = settings_of_stack()
rendered = render(stack_settings)
published = describe(stack_settings, "").as_plain()
require_no_findings(
    judge_stack(rendered.documents, rendered.values, rendered.node_group_inputs, published, last_published())
)
network_handle, cluster_handle, after = foundation(stack_settings)
if stack_settings.cluster.contents is Contents.APPLIED:
    contents(stack_settings, rendered, network_handle, cluster_handle, after)
publish(stack_settings, cluster_handle)
