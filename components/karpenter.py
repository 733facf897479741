"""Karpenter: its rights in the account, its interruption queue, and its two charts."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pulumi
from pulumi_aws.cloudwatch import EventRule, EventTarget
from pulumi_aws.eks import AccessEntry, PodIdentityAssociation
from pulumi_aws.iam import ServiceLinkedRole
from pulumi_aws.sqs import Queue, QueuePolicy

from components.handles import ClusterHandle
from components.identity import EC2, NODE_POLICIES, PODS, make_role
from components.kubernetes import install
from gpuplatform.render.document import Document
from gpuplatform.render.karpenter import (
    INTERRUPTION_EVENTS,
    controller_policies,
    controller_role_name,
    queue_name,
    queue_policy,
)
from gpuplatform.render.node_classes import node_role_name
from gpuplatform.settings.settings import Settings, SpotRole
from gpuplatform.standard import names

_SPOT = "spot.amazonaws.com"
_MESSAGE_RETENTION_SECONDS = 300
"""An interruption is two minutes' notice: older messages are of no use (Karpenter's published queue)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class KarpenterArgs:
    """The inputs of Karpenter."""

    settings: Settings
    cluster: ClusterHandle
    values: Document
    """Values of the main chart."""


class Karpenter(pulumi.ComponentResource):
    """The autoscaler.

    - the account's service-linked role for spot, if the settings ask for it
    - the nodes' role, and the access entry that lets nodes join
    - the controller's role by Pod Identity, with only Karpenter's published policy
    - the interruption queue and the five event rules that feed it
    - the chart of its CRDs, then its own chart
    """

    def __init__(self, name: str, args: KarpenterArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("gpu-platform:index:Karpenter", name, None, opts)
        self._name, self._settings = name, args.settings
        ready = [*self._spot_role(), *self._nodes(), *self._controller(), *self._interruptions()]
        provider = args.cluster.kubernetes
        crds = install(self, f"{name}-crds", "karpenter-crd", {}, provider, ready)
        install(self, f"{name}-controller", "karpenter", args.values, provider, [crds], skip_crds=True)
        self.register_outputs({"queue": queue_name(args.settings.cluster.name)})

    def _spot_role(self) -> list[pulumi.Resource]:
        if self._settings.account.spot_service_linked_role is not SpotRole.CREATE:
            return []
        # Every stack of the account needs this role for spot, so it is kept when this stack is deleted.
        keep = pulumi.ResourceOptions(parent=self, retain_on_delete=True)
        return [ServiceLinkedRole(f"{self._name}-spot", aws_service_name=_SPOT, opts=keep)]

    def _nodes(self) -> list[pulumi.Resource]:
        cluster = self._settings.cluster.name
        made = make_role(self, f"{self._name}-node", node_role_name(cluster), EC2, NODE_POLICIES)
        entry = AccessEntry(
            f"{self._name}-node",
            cluster_name=cluster,
            principal_arn=made.role.arn,
            type="EC2_LINUX",
            opts=pulumi.ResourceOptions(parent=self),
        )
        return [entry, *made.attachments]

    def _controller(self) -> list[pulumi.Resource]:
        cluster = self._settings.cluster.name
        policies = controller_policies(self._settings)
        made = make_role(self, f"{self._name}-controller", controller_role_name(cluster), PODS, own=policies)
        identity = PodIdentityAssociation(
            f"{self._name}-controller",
            cluster_name=cluster,
            namespace=names.KARPENTER_NAMESPACE,
            service_account=names.KARPENTER_SERVICE_ACCOUNT,
            role_arn=made.role.arn,
            opts=pulumi.ResourceOptions(parent=self),
        )
        return [identity, *made.attachments]

    def _interruptions(self) -> list[pulumi.Resource]:
        child = pulumi.ResourceOptions(parent=self)
        queue = Queue(
            f"{self._name}-interruptions",
            name=queue_name(self._settings.cluster.name),
            message_retention_seconds=_MESSAGE_RETENTION_SECONDS,
            sqs_managed_sse_enabled=True,
            opts=child,
        )
        made: list[pulumi.Resource] = [
            QueuePolicy(
                f"{self._name}-interruptions",
                queue_url=queue.url,
                policy=json.dumps(queue_policy(self._settings)),
                opts=child,
            )
        ]
        for event, pattern in INTERRUPTION_EVENTS.items():
            rule = EventRule(
                f"{self._name}-{event}",
                name=f"{self._settings.cluster.name}-{event}",
                event_pattern=json.dumps(pattern),
                opts=child,
            )
            made.append(EventTarget(f"{self._name}-{event}", rule=rule.name, arn=queue.arn, opts=child))
        return made
