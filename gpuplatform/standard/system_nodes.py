"""The system nodes: what marks them, and what a controller says to stand there and nowhere else.

A toleration lets a pod stand on a node; it does not draw it there. So a controller carries both: the toleration of the
system taint, and the selector of the system label.
"""

from __future__ import annotations

from gpuplatform.standard import keys
from gpuplatform.standard.taints import SYSTEM_TAINT

_SYSTEM = "system"


def system_labels() -> dict[str, str]:
    """The labels of every system node, which is also the node selector of every controller."""
    return {keys.NODE_ROLE: _SYSTEM}


def system_tolerations() -> list[dict[str, str]]:
    """The tolerations of every controller, as Kubernetes writes them."""
    return [{"key": SYSTEM_TAINT.key, "operator": "Exists"}]
