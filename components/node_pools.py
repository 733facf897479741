"""NodePools: node classes, then overlays, then the NodePools themselves; a destroy runs in the reverse order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi

from components.handles import ClusterHandle
from components.kubernetes import register
from gpuplatform.render.document import Document, name_of
from gpuplatform.render.nodepools import NodePoolDocuments


@dataclass(frozen=True, kw_only=True, slots=True)
class NodePoolsArgs:
    """The inputs of NodePools."""

    cluster: ClusterHandle
    node_classes: Sequence[Document]
    """Every EC2NodeClass, also those from which no NodePool launches."""
    node_pools: Sequence[NodePoolDocuments]


class NodePools(pulumi.ComponentResource):
    """Every NodePool, with the EC2NodeClasses that they launch from and the NodeOverlays that size them."""

    names: tuple[str, ...]

    def __init__(self, name: str, args: NodePoolsArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("gpu-platform:index:NodePools", name, None, opts)
        provider = args.cluster.kubernetes
        classes = {name_of(node_class): register(self, name, node_class, provider) for node_class in args.node_classes}
        overlays = [
            [register(self, name, overlay, provider) for overlay in node_pool.overlays] for node_pool in args.node_pools
        ]
        for node_pool, own_overlays in zip(args.node_pools, overlays, strict=True):
            # Its own class and overlays only: the autoscaler must know what a shared node offers before the first pod
            # asks for a share of it, and dependencies between all pools would grow with the square of their number.
            needed = [classes[name_of(node_pool.node_class)], *own_overlays]
            register(self, name, node_pool.node_pool, provider, needed)
        self.names = tuple(name_of(node_pool.node_pool) for node_pool in args.node_pools)
        self.register_outputs({"names": list(self.names)})
