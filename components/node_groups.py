"""NodeGroups: static pools that EKS makes where Karpenter's gate for static capacity is off (N1)."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
from pulumi_aws.ec2 import LaunchTemplate
from pulumi_aws.eks import NodeGroup as EksNodeGroup
from pulumi_aws.eks import NodeGroupTaintArgs

from components.handles import NetworkHandle
from components.identity import EC2, NODE_POLICIES, MadeRole, make_role
from gpuplatform.render.node_classes import ROOT_DEVICE
from gpuplatform.render.node_groups import NodeGroup


@dataclass(frozen=True, kw_only=True, slots=True)
class NodeGroupsArgs:
    """What managed node groups are made from."""

    cluster: str
    """The cluster's name."""
    network: NetworkHandle
    groups: Sequence[NodeGroup]


class NodeGroups(pulumi.ComponentResource):
    """A fixed number of nodes for each group, with the labels and taints of the standard; no group, no resource."""

    names: tuple[str, ...]

    def __init__(self, name: str, args: NodeGroupsArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("gpu-platform:index:NodeGroups", name, None, opts)
        self._name, self._args = name, args
        if args.groups:
            role = make_role(self, f"{name}-node", f"{args.cluster}-static-node", EC2, NODE_POLICIES)
            for each in args.groups:
                self._group(each, role)
        self.names = tuple(each.name for each in args.groups)
        self.register_outputs({"names": list(self.names)})

    def _group(self, group: NodeGroup, made: MadeRole) -> None:
        child = pulumi.ResourceOptions(parent=self)
        volume = group.volume
        template = LaunchTemplate(
            f"{self._name}-{group.name}",
            name=f"{self._args.cluster}-{group.name}",
            block_device_mappings=[
                {
                    "device_name": ROOT_DEVICE,
                    "ebs": {
                        "volume_size": volume.size_gib,
                        "volume_type": "gp3",
                        "iops": volume.iops,
                        "throughput": volume.throughput_mib_s,
                        "encrypted": "true",
                    },
                }
            ],
            metadata_options={"http_tokens": "required", "http_put_response_hop_limit": 1, "http_endpoint": "enabled"},
            user_data=None if group.user_data is None else base64.b64encode(group.user_data.encode()).decode(),
            opts=child,
        )
        EksNodeGroup(
            f"{self._name}-{group.name}",
            cluster_name=self._args.cluster,
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
            taints=[NodeGroupTaintArgs(**each) for each in group.taints],
            opts=pulumi.ResourceOptions(parent=self, depends_on=list(made.attachments)),
        )
