"""Tenants: priority classes, the label guide, every team's namespaces and who they are in AWS (Q1-Q5, Q10)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
from pulumi_aws.eks import PodIdentityAssociation

from components.handles import ClusterHandle
from components.identity import PODS, make_role
from components.kubernetes import register
from gpuplatform.render.buckets import BucketIdentity
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
            if tenant.identity is not None:
                self._identity(f"{name}-{tenant.identity.namespace}", tenant.identity)
        self.namespaces = tuple(name_of(tenant.namespace) for tenant in args.tenants)
        self.register_outputs({"namespaces": list(self.namespaces)})

    def _identity(self, name: str, wanted: BucketIdentity) -> None:
        """A role that pods of one service account take, and nobody else."""
        made = make_role(self, name, wanted.role_name, PODS, own={"buckets": wanted.policy})
        PodIdentityAssociation(
            name,
            cluster_name=wanted.cluster,
            namespace=wanted.namespace,
            service_account=wanted.service_account,
            role_arn=made.role.arn,
            opts=pulumi.ResourceOptions(parent=self, depends_on=list(made.attachments)),
        )
