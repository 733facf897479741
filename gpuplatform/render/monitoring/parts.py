"""Parts of expressions that several rules are made of: a pool's nodes, pods that ask, by how much a counter grew."""

from __future__ import annotations

from gpuplatform.render.monitoring.names import node_label
from gpuplatform.settings.plan import PlannedNodePool
from gpuplatform.settings.pools import Provisioner
from gpuplatform.standard import keys

ASKING = 'max by (namespace, pod) (kube_pod_container_resource_requests{resource=~"nvidia_com_(gpu|mig_.*)"} > 0)'
"""Pods that ask for cards or slices."""
_SEEN = "1d"
"""A series with a sample within this long was there before: Prometheus itself may have been away meanwhile."""


def nodes_of(nodepool: PlannedNodePool, instance_type: str | None = None) -> str:
    """The labels of its nodes, of one type or all, by the key under which whoever made them wrote its name."""
    by_eks = nodepool.pool.provisioner is Provisioner.MANAGED_NODE_GROUP
    wanted = {keys.NODE_GROUP if by_eks else keys.NODEPOOL: nodepool.name}
    if instance_type is not None:
        wanted[keys.INSTANCE_TYPE] = instance_type
    return "kube_node_labels{" + ",".join(f'{node_label(key)}="{value}"' for key, value in wanted.items()) + "}"


def grown(series: str, by: str, window: str) -> str:
    """By how much counters grew in the window, added up by labels, or all where ``by`` names none.

    A counter begins at its first event, which no increase shows: all that it says counts where it was not there before
    the window.
    """
    born = f"({series} unless present_over_time({series}[{_SEEN}] offset {window}))"
    return f"sum{f' by ({by})' if by else ''} ({born} or increase({series}[{window}]))"
