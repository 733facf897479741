"""NodePools: node classes, then overlays, then the pools themselves; on the way down the other way round."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import pulumi

from components.handles import ClusterHandle
from components.kubernetes import register
from gpuplatform.render.document import Document, name_of
from gpuplatform.render.nodepools import node_class_of
from gpuplatform.render.overlays import nodepool_of


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
        classes = {name_of(each): register(self, name, each, provider) for each in args.node_classes}
        overlays: dict[str, list[pulumi.Resource]] = defaultdict(list)
        for each in args.overlays:
            overlays[nodepool_of(each)].append(register(self, name, each, provider))
        for each in args.node_pools:
            # Its own class and overlays only: the autoscaler must know what a shared node offers before the first pod
            # asks for a share of it, and a dependency on every other pool's would grow with their square.
            register(self, name, each, provider, [classes[node_class_of(each)], *overlays[name_of(each)]])
        self.names = tuple(name_of(each) for each in args.node_pools)
        self.register_outputs({"names": list(self.names)})
