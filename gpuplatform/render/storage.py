"""The class of volumes that a claim gets where it names none."""

from __future__ import annotations

from gpuplatform.render.document import Document, a
from gpuplatform.standard import keys, names


def storage_class() -> Document:
    """Encrypted gp3 volumes, made in the zone of the pod that claims them, and deleted with their claim.

    Provisioner and parameters are those of the EBS driver (kubernetes-sigs/aws-ebs-csi-driver v1.63.1
    docs/parameters.md). EKS 1.30 and later make no class the default, and its add-on's own default is not encrypted.
    """
    document = a(
        "storage.k8s.io/v1",
        "StorageClass",
        names.STORAGE_CLASS,
        provisioner="ebs.csi.aws.com",
        parameters={"type": "gp3", "encrypted": "true"},
        reclaimPolicy="Delete",
        volumeBindingMode="WaitForFirstConsumer",
        allowVolumeExpansion=True,
    )
    metadata: Document = {"name": names.STORAGE_CLASS, "annotations": {keys.DEFAULT_STORAGE_CLASS: "true"}}
    return {**document, "metadata": metadata}
