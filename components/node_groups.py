"""NodeGroups: static pools as EKS node groups, for stacks in which Karpenter's gate for static capacity is closed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
from pulumi_aws.eks import NodeGroup as EksNodeGroup
from pulumi_aws.eks import NodeGroupTaintArgs

from components.handles import NetworkHandle
from components.identity import EC2, NODE_POLICIES, MadeRole, make_role
from components.launch_templates import launch_template
from gpuplatform.render.node_groups import NodeGroup
from gpuplatform.settings.settings import Settings
from gpuplatform.standard import keys, versions


@dataclass(frozen=True, kw_only=True, slots=True)
class NodeGroupsArgs:
    """The inputs of NodeGroups."""

    settings: Settings
    network: NetworkHandle
    groups: Sequence[NodeGroup]


class NodeGroups(pulumi.ComponentResource):
    """A fixed number of nodes for each group, with the labels and taints of the standard; without a group, nothing."""

    names: tuple[str, ...]

    def __init__(self, name: str, args: NodeGroupsArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("gpu-platform:index:NodeGroups", name, None, opts)
        self._name, self._args = name, args
        if args.groups:
            role = make_role(self, f"{name}-node", f"{args.settings.cluster.name}-static-node", EC2, NODE_POLICIES)
            for group in args.groups:
                self._group(group, role)
        self.names = tuple(node_group.name for node_group in args.groups)
        self.register_outputs({"names": list(self.names)})

    def _group(self, group: NodeGroup, made: MadeRole) -> None:
        settings = self._args.settings
        template = launch_template(
            self,
            f"{self._name}-{group.name}",
            f"{settings.cluster.name}-{group.name}",
            group.volume,
            {**settings.stack_tags, keys.POOL: group.pool},
            group.user_data,
        )
        EksNodeGroup(
            f"{self._name}-{group.name}",
            cluster_name=settings.cluster.name,
            version=settings.cluster.version,
            release_version=versions.node_release(settings.cluster.version).version,
            node_group_name=group.name,
            node_role_arn=made.role.arn,
            subnet_ids=[self._args.network.subnet_of_zone[group.zone]],
            ami_type=group.ami_type,
            instance_types=list(group.instance_types),
            # One node may be added while another is replaced; the number of nodes that serve never changes.
            scaling_config={"desired_size": group.nodes, "min_size": group.nodes, "max_size": group.nodes + 1},
            update_config={"max_unavailable": 1},
            launch_template={"id": template.id, "version": template.latest_version.apply(str)},
            labels=group.labels,
            taints=[NodeGroupTaintArgs(**taint) for taint in group.taints],
            opts=pulumi.ResourceOptions(parent=self, depends_on=list(made.attachments)),
        )
