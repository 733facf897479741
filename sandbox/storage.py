"""What EKS and its EBS driver put into every cluster. The class that claims get is the stack's own.

The driver's part is played where nodes are made (``sandbox/karpenter/volumes.go``). How many volumes a machine takes is
not simulated.
"""

from __future__ import annotations

from gpuplatform.render.document import Document, a


def storage() -> tuple[Document, ...]:
    """The StorageClass that every EKS cluster begins with, nobody's default since 1.30, and the EBS driver."""
    return (
        a(
            "storage.k8s.io/v1",
            "StorageClass",
            "gp2",
            provisioner="kubernetes.io/aws-ebs",
            parameters={"type": "gp2", "fsType": "ext4"},
            reclaimPolicy="Delete",
            volumeBindingMode="WaitForFirstConsumer",
        ),
        # Nobody attaches anything here: kwok runs a pod whether or not its volumes are there.
        a("storage.k8s.io/v1", "CSIDriver", "ebs.csi.aws.com", spec={"attachRequired": False}),
    )
