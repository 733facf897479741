"""NodePools: node classes, then overlays, then the pools themselves; on the way down the other way round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi

from components.handles import ClusterHandle
from components.kubernetes import register
from gpuplatform.render.document import Document, name_of


@dataclass(frozen=True, kw_only=True, slots=True)
class NodePoolsArgs:
    """What pools are made from."""

    cluster: ClusterHandle
    node_classes: Sequence[Document]
    overlays: Sequence[Document]
    node_pools: Sequence[Document]


class NodePools(pulumi.ComponentResource):
    """Every NodePool, with the EC2NodeClasses that they launch from and the NodeOverlays that size them."""

    names: tuple[str, ...]

    def __init__(self, name: str, args: NodePoolsArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("gpu-platform:index:NodePools", name, None, opts)
        provider = args.cluster.kubernetes
        classes = [register(self, name, each, provider) for each in args.node_classes]
        # The autoscaler must know what a shared node offers before the first pod asks for a share of it.
        overlays = [register(self, name, each, provider, classes) for each in args.overlays]
        for each in args.node_pools:
            register(self, name, each, provider, [*classes, *overlays])
        self.names = tuple(name_of(each) for each in args.node_pools)
        self.register_outputs({"names": list(self.names)})
