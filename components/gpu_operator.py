"""GpuOperator: its namespace, the ConfigMaps about shared cards, and the chart. DevicePlugins: the plugins beside it.

The operator brings no plugin for EFA interfaces or Neuron devices, and no DRA driver; each of these is a chart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pulumi

from components.handles import ClusterHandle
from components.kubernetes import install, register
from gpuplatform.render.document import Document


@dataclass(frozen=True, kw_only=True, slots=True)
class GpuOperatorArgs:
    """The inputs of GpuOperator."""

    cluster: ClusterHandle
    namespace: Document
    configs: Sequence[Document]
    """ConfigMaps that the operator reads: they must exist before it starts."""
    values: Document


class GpuOperator(pulumi.ComponentResource):
    """NVIDIA's GPU Operator, configured for the way in which each pool shares its cards."""

    def __init__(self, name: str, args: GpuOperatorArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("gpu-platform:index:GpuOperator", name, None, opts)
        provider = args.cluster.kubernetes
        namespace = register(self, name, args.namespace, provider)
        configs = [register(self, name, config, provider, [namespace]) for config in args.configs]
        install(self, f"{name}-chart", "gpu-operator", args.values, provider, [namespace, *configs])
        self.register_outputs({})


@dataclass(frozen=True, kw_only=True, slots=True)
class DevicePluginsArgs:
    """The inputs of DevicePlugins."""

    cluster: ClusterHandle
    values: Mapping[str, Document]
    """Values by the chart's name; only the charts that some pool needs."""


class DevicePlugins(pulumi.ComponentResource):
    """One chart for each kind of device that some pool of the stack has."""

    def __init__(self, name: str, args: DevicePluginsArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("gpu-platform:index:DevicePlugins", name, None, opts)
        for chart, values in args.values.items():
            install(self, f"{name}-{chart}", chart, values, args.cluster.kubernetes)
        self.register_outputs({"charts": list(args.values)})
