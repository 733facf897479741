"""Tenants: priority classes, the label guide, and every team's namespaces and AWS roles."""

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
    """The inputs of Tenants."""

    cluster: ClusterHandle
    cluster_documents: Sequence[Document]
    tenants: Sequence[TenantDocuments]


class Tenants(pulumi.ComponentResource):
    """The objects for teams: namespaces, limits, access, priority classes, and the guide to labels."""

    namespaces: tuple[str, ...]

    def __init__(self, name: str, args: TenantsArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("gpu-platform:index:Tenants", name, None, opts)
        provider = args.cluster.kubernetes
        for cluster_document in args.cluster_documents:
            register(self, name, cluster_document, provider)
        for tenant in args.tenants:
            namespace = register(self, name, tenant.namespace, provider)
            for content in tenant.contents:
                register(self, name, content, provider, [namespace])
            if tenant.identity is not None:
                self._identity(f"{name}-{tenant.identity.namespace}", tenant.identity)
        self.namespaces = tuple(name_of(tenant.namespace) for tenant in args.tenants)
        self.register_outputs({"namespaces": list(self.namespaces)})

    def _identity(self, name: str, identity: BucketIdentity) -> None:
        """A role that only pods of one service account may assume."""
        made = make_role(self, name, identity.role_name, PODS, own={"buckets": identity.policy})
        PodIdentityAssociation(
            name,
            cluster_name=identity.cluster,
            namespace=identity.namespace,
            service_account=identity.service_account,
            role_arn=made.role.arn,
            opts=pulumi.ResourceOptions(parent=self, depends_on=list(made.attachments)),
        )
