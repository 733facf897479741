"""Values of Karpenter's chart, and the names that tie it to the account (F7)."""

from __future__ import annotations

from gpuplatform.render.controllers import placement
from gpuplatform.render.document import Document
from gpuplatform.settings.settings import Settings
from gpuplatform.standard import names


def queue_name(cluster: str) -> str:
    """The interruption queue; Karpenter's guide names it like the cluster."""
    return cluster


def controller_role_name(cluster: str) -> str:
    """The IAM role that the controller takes by Pod Identity."""
    return f"{cluster}-karpenter"


def karpenter_values(settings: Settings) -> Document:
    """The chart's values, where they differ from its defaults or must not be left to them."""
    gates = settings.feature_gates
    return {
        "serviceAccount": {"create": True, "name": names.KARPENTER_SERVICE_ACCOUNT},
        "replicas": 2,
        **placement(),
        "controller": {
            # With one metadata hop the controller cannot ask where it is.
            "env": [{"name": "AWS_REGION", "value": settings.region}],
            "resources": {
                "requests": {"cpu": "1", "memory": "1Gi"},
                "limits": {"cpu": "1", "memory": "1Gi"},
            },
        },
        "settings": {
            "clusterName": settings.cluster.name,
            "interruptionQueue": queue_name(settings.cluster.name),
            "featureGates": {
                "nodeOverlay": gates.node_overlay,
                "staticCapacity": gates.static_capacity,
                "reservedCapacity": True,
            },
        },
    }
