"""GpuOperator: its namespace, what it reads about shared cards, and the chart (G1-G7)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi

from components.handles import ClusterHandle
from components.kubernetes import install, register
from gpuplatform.render.document import Document


@dataclass(frozen=True, kw_only=True, slots=True)
class GpuOperatorArgs:
    """What the operator is made from."""

    cluster: ClusterHandle
    namespace: Document
    configs: Sequence[Document]
    """ConfigMaps that it reads: they must stand before it starts."""
    values: Document


class GpuOperator(pulumi.ComponentResource):
    """NVIDIA's GPU Operator, told how each pool shares its cards."""

    def __init__(self, name: str, args: GpuOperatorArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("gpu-platform:index:GpuOperator", name, None, opts)
        provider = args.cluster.kubernetes
        namespace = register(self, name, args.namespace, provider)
        configs = [register(self, name, each, provider, [namespace]) for each in args.configs]
        install(self, f"{name}-chart", "gpu-operator", args.values, provider, [namespace, *configs])
        self.register_outputs({})
