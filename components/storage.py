"""Storage: the cluster's default class of volumes."""

from __future__ import annotations

from dataclasses import dataclass

import pulumi

from components.handles import ClusterHandle
from components.kubernetes import register
from gpuplatform.render.document import Document, name_of


@dataclass(frozen=True, kw_only=True, slots=True)
class StorageArgs:
    """The inputs of Storage."""

    cluster: ClusterHandle
    """The cluster, which has the driver that the class names."""
    storage_class: Document


class Storage(pulumi.ComponentResource):
    """The class of a claim that names no class; components with claims depend on it."""

    def __init__(self, name: str, args: StorageArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("gpu-platform:index:Storage", name, None, opts)
        register(self, name, args.storage_class, args.cluster.kubernetes)
        self.register_outputs({"storage_class": name_of(args.storage_class)})
