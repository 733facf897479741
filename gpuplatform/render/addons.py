"""The parts that the values of every controller share, the configuration of EKS' add-ons, and the storage class.

Which value of a chart takes which part is written with that chart's values.
"""

from __future__ import annotations

from collections.abc import Mapping

from gpuplatform.render.document import Document, kubernetes_object
from gpuplatform.standard import keys, names
from gpuplatform.standard.taints import system_labels, system_tolerations

REPLICAS = 2
"""Replicas of a controller that the API server calls: while one is moved, the other answers."""
PRIORITY = "system-cluster-critical"
"""Kubernetes' own priority class for pods that a cluster cannot work without."""


def placement() -> Document:
    """Placement on system nodes only: with a toleration and no selector, pods would also run on Karpenter's nodes."""
    return {"nodeSelector": system_labels(), "tolerations": system_tolerations()}


def spread(pod_labels: Mapping[str, str]) -> list[Document]:
    """A constraint that puts the pods with these labels on different hosts, as far as there are enough hosts."""
    return [
        {
            "maxSkew": 1,
            "topologyKey": keys.HOSTNAME,
            "whenUnsatisfiable": "DoNotSchedule",
            "labelSelector": {"matchLabels": dict(pod_labels)},
        }
    ]


def requests(cpu: str, memory: str) -> Document:
    """The resource requests of one container; its limits are the chart's."""
    return {"requests": {"cpu": cpu, "memory": memory}}


def addon_values() -> dict[str, Document]:
    """The configuration values by add-on, for the add-ons that have controllers.

    The other add-ons are DaemonSets that tolerate every taint, and so is the node part of the EBS driver, as their fact
    sheets say. The toleration lets a controller run on a system node; the selector keeps it off CPU nodes, which
    Karpenter may remove at any time.
    """
    return {
        "coredns": placement(),
        "metrics-server": placement(),
        "aws-ebs-csi-driver": {"controller": placement()},
    }


def storage_class() -> Document:
    """The storage class of encrypted gp3 volumes, made in the zone of the claiming pod and deleted with their claim.

    Provisioner and parameters are those of the EBS driver (kubernetes-sigs/aws-ebs-csi-driver v1.63.1
    docs/parameters.md). EKS 1.30 and later make no class the default, and its add-on's own default is not encrypted.
    """
    return kubernetes_object(
        "storage.k8s.io/v1",
        "StorageClass",
        names.STORAGE_CLASS,
        annotations={keys.DEFAULT_STORAGE_CLASS: "true"},
        provisioner="ebs.csi.aws.com",
        parameters={"type": "gp3", "encrypted": "true"},
        reclaimPolicy="Delete",
        volumeBindingMode="WaitForFirstConsumer",
        allowVolumeExpansion=True,
    )
