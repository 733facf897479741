"""What every controller of the platform is given: where it stands, how its pods are spread, what it asks for.

Which value of a chart takes which part is the chart's matter (``standard.sheets``); what the parts are is written here.
"""

from __future__ import annotations

from collections.abc import Mapping

from gpuplatform.render.document import Document
from gpuplatform.standard import keys
from gpuplatform.standard.system_nodes import system_labels, system_tolerations

REPLICAS = 2
"""Of a controller that the API server asks: while one is moved, the other answers."""
PRIORITY = "system-cluster-critical"
"""Kubernetes' own class for what a cluster cannot do without."""


def placement() -> Document:
    """On the system nodes alone: with a toleration and no selector it stands on nodes that come and go."""
    return {"nodeSelector": system_labels(), "tolerations": system_tolerations()}


def spread(pod_labels: Mapping[str, str]) -> list[Document]:
    """The pods with these labels on hosts of their own, as far as there are hosts."""
    return [
        {
            "maxSkew": 1,
            "topologyKey": keys.HOSTNAME,
            "whenUnsatisfiable": "DoNotSchedule",
            "labelSelector": {"matchLabels": dict(pod_labels)},
        }
    ]


def requests(cpu: str, memory: str) -> Document:
    """What one container asks for; limits stay the chart's."""
    return {"requests": {"cpu": cpu, "memory": memory}}
