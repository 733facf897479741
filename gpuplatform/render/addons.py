"""What EKS' add-ons are told: their controllers stand on system nodes."""

from __future__ import annotations

from gpuplatform.render.document import Document
from gpuplatform.standard.system_nodes import system_labels, system_tolerations


def addon_values() -> dict[str, Document]:
    """The configuration values of every add-on that has some, by its name.

    The others are DaemonSets that tolerate every taint, and so is the node part of the EBS driver, as their fact sheets
    say. A toleration lets a controller stand on a system node; the selector keeps it from a CPU node that may go at
    any time.
    """
    on_system_nodes: Document = {"nodeSelector": system_labels(), "tolerations": system_tolerations()}
    return {
        "coredns": on_system_nodes,
        "metrics-server": on_system_nodes,
        "aws-ebs-csi-driver": {"controller": on_system_nodes},
    }
