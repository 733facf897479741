"""Monitoring: the CustomResourceDefinitions, then the charts of Prometheus and KEDA, then their rules and monitors."""

from __future__ import annotations

from dataclasses import dataclass

import pulumi
from pulumi_aws.eks import PodIdentityAssociation

from components.handles import ClusterHandle
from components.identity import PODS, make_role
from components.kubernetes import install, register
from gpuplatform.render.monitoring.scraping import NAMESPACE
from gpuplatform.render.monitoring.stack import MonitoringDocuments
from gpuplatform.render.monitoring.values import DEFINITIONS_CHART, SERVICE_ACCOUNT, workspace_arn
from gpuplatform.settings.settings import Settings


@dataclass(frozen=True, kw_only=True, slots=True)
class MonitoringArgs:
    """The inputs of Monitoring."""

    cluster: ClusterHandle
    settings: Settings
    documents: MonitoringDocuments | None
    """None if something else monitors the stack: then nothing is created."""


class Monitoring(pulumi.ComponentResource):
    """The CustomResourceDefinitions, then the charts that use them, then monitors, rules and boards.

    The definitions are a separate release, because Helm creates the objects in a chart's ``crds`` folder once and never
    upgrades them. If an earlier release of the operator's chart created them, this release takes them over.
    """

    charts: tuple[str, ...]

    def __init__(self, name: str, args: MonitoringArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("gpu-platform:index:Monitoring", name, None, opts)
        documents = args.documents
        self.charts = () if documents is None else tuple(documents.values)
        if documents is not None:
            self._make(name, args, documents)
        self.register_outputs({"charts": list(self.charts)})

    def _make(self, name: str, args: MonitoringArgs, documents: MonitoringDocuments) -> None:
        provider = args.cluster.kubernetes
        namespaces = [register(self, name, namespace, provider) for namespace in documents.namespaces]
        ready: list[pulumi.Resource] = [*namespaces, *self._identity(name, args)]
        definitions = install(
            self,
            f"{name}-{DEFINITIONS_CHART}",
            DEFINITIONS_CHART,
            documents.values[DEFINITIONS_CHART],
            provider,
            ready,
            take_ownership=True,
        )
        charts = [
            install(self, f"{name}-{chart}", chart, values, provider, [*ready, definitions], skip_crds=True)
            for chart, values in documents.values.items()
            if chart != DEFINITIONS_CHART
        ]
        for document in documents.documents:
            register(self, name, document, provider, [definitions, *charts])

    def _identity(self, name: str, args: MonitoringArgs) -> list[pulumi.Resource]:
        """The right to write to the managed workspace only."""
        workspace, cluster = workspace_arn(args.settings), args.settings.cluster.name
        if workspace is None:
            return []
        statement = {"Effect": "Allow", "Action": ["aps:RemoteWrite"], "Resource": [workspace]}
        policy = {"Version": "2012-10-17", "Statement": [statement]}
        made = make_role(self, f"{name}-writer", f"{cluster}-prometheus", PODS, own={"write": policy})
        association = PodIdentityAssociation(
            f"{name}-writer",
            cluster_name=cluster,
            namespace=NAMESPACE,
            service_account=SERVICE_ACCOUNT,
            role_arn=made.role.arn,
            opts=pulumi.ResourceOptions(parent=self),
        )
        return [association, *made.attachments]
