"""What EKS does inside a cluster, where the cluster is real: nodes of managed node groups, and pods of add-ons."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from pathlib import Path

from sandbox.cloud.addons import ADDON, Addons
from sandbox.cloud.api import Api
from sandbox.cloud.nodes import NODE_GROUP, NodeGroups
from sandbox.cloud.world import Entry, World


@dataclass(frozen=True, slots=True)
class InCluster:
    """The part of EKS that can be seen in the cluster."""

    node_groups: NodeGroups
    addons: Addons

    def make(self, entry: Entry) -> None:
        """Have in the cluster what a resource stands for, new or changed; most stand for nothing there."""
        if entry.type == NODE_GROUP:
            self.node_groups.make(entry)
        if entry.type == ADDON:
            self.addons.make(entry)

    def remove(self, entry: Entry) -> None:
        """Take it away again."""
        if entry.type == NODE_GROUP:
            self.node_groups.remove(entry)
        if entry.type == ADDON:
            self.addons.remove(entry)


def in_cluster(world: World, control_plane: Path, stack_file: Path, region: str, stop: threading.Event) -> InCluster:
    """EKS in the cluster of a control plane's folder."""
    api = Api((control_plane / "kubeconfig").read_text(encoding="utf-8"), stop)
    return InCluster(NodeGroups(world, api, region, stack_file), Addons(world, api))
