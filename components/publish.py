"""The stack's outputs: the document that other teams read, and the way in for those who may (E7)."""

from __future__ import annotations

import pulumi

from components.handles import ClusterHandle
from gpuplatform.outputs import ENDPOINT, OUTPUT_NAME, describe
from gpuplatform.settings.settings import Settings


def publish(settings: Settings, cluster: ClusterHandle) -> None:
    """Export the platform's document, and the kubeconfig as a secret of its own."""
    # Only the endpoint waits for the cloud: a preview, and the policies with it, see all the rest.
    document = describe(settings, "").as_plain() | {ENDPOINT: cluster.endpoint}
    pulumi.export(OUTPUT_NAME, document)
    pulumi.export("kubeconfig", cluster.kubeconfig)
