"""The label guide as a ConfigMap in the cluster (L9): the standard, and each pool with what a pod must say."""

from __future__ import annotations

from collections.abc import Iterable

from gpuplatform.render.block import block
from gpuplatform.render.document import Document, a, as_yaml
from gpuplatform.settings.pools import Pool
from gpuplatform.standard.labels import STANDARD

NAME = "gpu-node-labels-guide"
"""The name that the operations guide gives it."""
NAMESPACE = "kube-system"


def label_guide(pools: Iterable[Pool]) -> Document:
    """One key for the standard, one for each pool's block."""
    data = {"standard": _standard()}
    data |= {f"pool.{pool.name}": as_yaml(block(pool).as_pod_fragment()) for pool in pools}
    return a("v1", "ConfigMap", NAME, NAMESPACE, data=data)


def _standard() -> str:
    lines: list[str] = []
    for label in STANDARD:
        values = " | ".join(label.values) if label.values else "as the catalogue names it"
        lines.append(f"{label.level.value} {label.key}: {values}\n  {label.meaning} On {label.required}.\n")
    return "".join(lines)
