"""The stack's outputs: the document that other teams read, and the way in for those who may (E7)."""

from __future__ import annotations

import pulumi

from components.handles import ClusterHandle
from gpuplatform.outputs import OUTPUT_NAME, describe
from gpuplatform.settings.settings import Settings


def publish(settings: Settings, cluster: ClusterHandle) -> None:
    """Export the platform's document, and the kubeconfig as a secret of its own."""
    document = cluster.endpoint.apply(lambda endpoint: describe(settings, endpoint).as_plain())
    pulumi.export(OUTPUT_NAME, document)
    pulumi.export("kubeconfig", cluster.kubeconfig)
