"""The GPU Operator's stand-in: what its absence would hide.

The operator's pods cannot run here. What they would make of a node's cards is computed where nodes are made
(``sandbox/karpenter/devices.go``), from the documents that they would read; this is how the release reaches that place.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from gpuplatform.render.document import Document, a, as_yaml
from gpuplatform.standard import resources

_RELEASE = "sandbox-gpu-operator-release"
"""The ConfigMap that says which values the release was installed with; ``devices.go`` reads it by this name."""


def operator_documents(values: Mapping[str, object], namespace: str) -> tuple[Document, ...]:
    """What the release leaves in the cluster: its values, and the RuntimeClass that its toolkit would register."""
    operator = cast(Mapping[str, object], values.get("operator") or {})
    name = str(operator.get("runtimeClass") or resources.RUNTIME_CLASS)
    return (
        a("v1", "ConfigMap", _RELEASE, namespace, data={"values.yaml": as_yaml(values)}),
        a("node.k8s.io/v1", "RuntimeClass", name, handler=name),
    )
