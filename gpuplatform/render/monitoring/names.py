"""Names of labels and resources as the exporters write them."""

from __future__ import annotations

import re

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
"""Labels of a node that every series of its cards carries, and under which name (L7).

Karpenter writes the pool's name under its key, EKS under its own; no node has both.
"""


def sanitized(key: str) -> str:
    """A key as Prometheus' service discovery and kube-state-metrics write it: everything else is an underscore."""
    return re.sub(r"[^a-zA-Z0-9_]", "_", key)


def node_label(key: str) -> str:
    """A node's label on ``kube_node_labels``."""
    return f"label_{sanitized(key)}"


def karpenter_resource(resource: str) -> str:
    """A resource on Karpenter's series: lower case, hyphens as underscores (v1.14, pkg/metrics)."""
    return resource.lower().replace("-", "_")
