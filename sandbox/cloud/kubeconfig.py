"""A cluster's kubeconfigs, of EKS and of a real control plane, and the parts of EKS that are visible in the cluster."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import yaml

from sandbox.cloud.addons import ADDON, Addons
from sandbox.cloud.api import Api
from sandbox.cloud.nodes import NODE_GROUP, NodeGroups
from sandbox.cloud.store import Entry, Store


def kubeconfig_of(arn: object, endpoint: object, authority: object, profile: str | None = None) -> dict[str, object]:
    """A kubeconfig that authenticates with the AWS client's default credentials, or with those of a profile."""
    name = str(arn)
    command = ["--region", name.split(":")[3], "eks", "get-token", "--cluster-name", name.rsplit("/", 1)[-1]]
    if profile is not None:
        command += ["--profile", profile]
    user = {"exec": {"apiVersion": "client.authentication.k8s.io/v1beta1", "command": "aws", "args": command}}
    server = {"server": endpoint, "certificate-authority-data": _data(authority)}
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": name, "cluster": server}],
        "contexts": [{"name": name, "context": {"cluster": name, "user": name}}],
        "current-context": name,
        "users": [{"name": name, "user": user}],
    }


def _data(authority: object) -> object:
    return cast(Mapping[str, object], authority).get("data") if isinstance(authority, Mapping) else None


def read(kubeconfig: Path) -> object:
    """The kubeconfig of a real control plane."""
    return yaml.safe_load(kubeconfig.read_text(encoding="utf-8"))


@dataclass(frozen=True, slots=True)
class InCluster:
    """The parts of EKS that are visible in the cluster: node groups and add-ons."""

    node_groups: NodeGroups
    addons: Addons

    def make(self, entry: Entry) -> None:
        """Make or change the objects in the cluster that a resource stands for; most resources have none."""
        if entry.type == NODE_GROUP:
            self.node_groups.make(entry)
        if entry.type == ADDON:
            self.addons.make(entry)

    def remove(self, entry: Entry) -> None:
        """Remove the objects in the cluster that a resource stands for."""
        if entry.type == NODE_GROUP:
            self.node_groups.remove(entry)
        if entry.type == ADDON:
            self.addons.remove(entry)


def in_cluster(world: Store, control_plane: Path, stack_file: Path, region: str, stop: threading.Event) -> InCluster:
    """The visible parts of EKS in the cluster of a control plane's folder."""
    api = Api((control_plane / "kubeconfig").read_text(encoding="utf-8"), stop)
    return InCluster(NodeGroups(world, api, region, stack_file), Addons(world, api))
