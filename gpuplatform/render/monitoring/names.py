"""Names of labels and resources as the exporters write them, and parts of PromQL that several rules use."""

from __future__ import annotations

import re

from gpuplatform.plan.node_pools import PlannedNodePool
from gpuplatform.settings.pools import Provisioner
from gpuplatform.standard import keys, labels

NODE_LABELS: dict[str, str] = {
    labels.MODEL.key: "gpu_model",
    labels.PURPOSE.key: "gpu_pool",
    labels.ROLE.key: "gpu_role",
    labels.MIG_PROFILE.key: "gpu_mig_profile",
    keys.NODEPOOL: "nodepool",
    keys.NODE_GROUP: "nodepool",
    keys.CAPACITY_TYPE: "capacity_type",
}
"""Node labels that every series of the node's cards carries, and their names on the series.

Karpenter and EKS write the pool's name under different keys; no node has both.
"""


def sanitized(key: str) -> str:
    """A key as Prometheus' service discovery and kube-state-metrics write it: other characters become underscores."""
    return re.sub(r"[^a-zA-Z0-9_]", "_", key)


def node_label(key: str) -> str:
    """The name of a node's label on the series ``kube_node_labels``."""
    return f"label_{sanitized(key)}"


def karpenter_resource(resource: str) -> str:
    """A resource as Karpenter's series name it: lower case, hyphens as underscores (v1.14, pkg/metrics)."""
    return resource.lower().replace("-", "_")


ASKING = 'max by (namespace, pod) (kube_pod_container_resource_requests{resource=~"nvidia_com_(gpu|mig_.*)"} > 0)'
"""Pods that ask for cards or slices."""
IS_READY = 'kube_node_status_condition{condition="Ready",status="true"}'
"""1 for each node that is ready, 0 for each that is not."""

_SEEN = "1d"
"""A series counts as old if it has a sample within this time; Prometheus itself may have been down meanwhile."""


def selected(series: str, *matchers: str) -> str:
    """A series where every matcher holds: ``up`` and ``job="a"`` give ``up{job="a"}``."""
    return f"{series}{{{','.join(matchers)}}}"


def nodes_of(nodepool: PlannedNodePool, instance_type: str | None = None) -> str:
    """The ``kube_node_labels`` series of a NodePool's nodes, of one instance type or of all.

    The key that carries the pool's name depends on who launches the nodes: Karpenter or EKS.
    """
    by_eks = nodepool.pool.provisioner is Provisioner.MANAGED_NODE_GROUP
    node_labels = {keys.NODE_GROUP if by_eks else keys.NODEPOOL: nodepool.name}
    if instance_type is not None:
        node_labels[keys.INSTANCE_TYPE] = instance_type
    return selected("kube_node_labels", *(f'{node_label(key)}="{value}"' for key, value in node_labels.items()))


def grown(series: str, by: str, window: str) -> str:
    """The growth of counters in the window: the sum by labels, or one sum where ``by`` names no label.

    A counter begins to exist at its first event, which ``increase`` does not show. So the whole value of a counter
    counts that did not exist before the window.
    """
    born = f"({series} unless present_over_time({series}[{_SEEN}] offset {window}))"
    return f"sum{f' by ({by})' if by else ''} ({born} or increase({series}[{window}]))"
