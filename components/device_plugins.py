"""DevicePlugins: those that the GPU Operator does not bring, for EFA interfaces (N23) and Neuron devices (N14)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pulumi

from components.handles import ClusterHandle
from components.kubernetes import install
from gpuplatform.render.document import Document


@dataclass(frozen=True, kw_only=True, slots=True)
class DevicePluginsArgs:
    """What the device plugins are made from."""

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
