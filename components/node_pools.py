"""NodePools: node classes, then overlays, then the NodePools themselves; a destroy runs in the reverse order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import pulumi

from components.handles import ClusterHandle
from components.kubernetes import register
from gpuplatform.render.document import Document, name_of
from gpuplatform.render.nodepools import node_class_of, nodepool_of


@dataclass(frozen=True, kw_only=True, slots=True)
class NodePoolsArgs:
    """The inputs of NodePools."""

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
        classes = {name_of(node_class): register(self, name, node_class, provider) for node_class in args.node_classes}
        overlays: dict[str, list[pulumi.Resource]] = defaultdict(list)
        for overlay in args.overlays:
            overlays[nodepool_of(overlay)].append(register(self, name, overlay, provider))
        for node_pool in args.node_pools:
            # Its own class and overlays only: the autoscaler must know what a shared node offers before the first pod
            # asks for a share of it, and dependencies between all pools would grow with the square of their number.
            register(
                self, name, node_pool, provider, [classes[node_class_of(node_pool)], *overlays[name_of(node_pool)]]
            )
        self.names = tuple(name_of(node_pool) for node_pool in args.node_pools)
        self.register_outputs({"names": list(self.names)})
