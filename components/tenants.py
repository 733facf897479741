"""Tenants: priority classes, the label guide, and every team's namespaces with what stands in them (Q1-Q5, Q10)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi

from components.handles import ClusterHandle
from components.kubernetes import register
from gpuplatform.render.document import Document, name_of
from gpuplatform.render.stack import TenantDocuments


@dataclass(frozen=True, kw_only=True, slots=True)
class TenantsArgs:
    """What tenants are made from."""

    cluster: ClusterHandle
    cluster_documents: Sequence[Document]
    tenants: Sequence[TenantDocuments]


class Tenants(pulumi.ComponentResource):
    """What teams find in the cluster: their namespaces, limits and access, and the words to use."""

    namespaces: tuple[str, ...]

    def __init__(self, name: str, args: TenantsArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("gpu-platform:index:Tenants", name, None, opts)
        provider = args.cluster.kubernetes
        for each in args.cluster_documents:
            register(self, name, each, provider)
        for tenant in args.tenants:
            namespace = register(self, name, tenant.namespace, provider)
            for each in tenant.contents:
                register(self, name, each, provider, [namespace])
        self.namespaces = tuple(name_of(tenant.namespace) for tenant in args.tenants)
        self.register_outputs({"namespaces": list(self.namespaces)})
