"""Launch templates of managed node groups: disk, metadata service, tags and user data."""

from __future__ import annotations

import base64
from collections.abc import Mapping

import pulumi
from pulumi_aws.ec2 import LaunchTemplate

from gpuplatform.render.node_classes import ROOT_DEVICE
from gpuplatform.settings.pools import RootVolume

_TAGGED = ("instance", "volume", "network-interface")
"""The resources that EC2 creates from a node group's template. The provider's default tags apply to the template
only: EKS does not pass them on (terraform-aws-modules/terraform-aws-eks, modules/eks-managed-node-group,
tag_specifications)."""


def launch_template(
    owner: pulumi.Resource,
    name: str,
    template_name: str,
    volume: RootVolume,
    tags: Mapping[str, str],
    user_data: str | None = None,
) -> LaunchTemplate:
    """A template with one encrypted volume and a metadata service that no pod reaches.

    ``template_name`` is its name in AWS, and the Name of every instance, volume and interface made from it.
    """
    return LaunchTemplate(
        name,
        name=template_name,
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
        # With one hop a pod cannot reach the metadata service, and so cannot use the node's role.
        metadata_options={"http_tokens": "required", "http_put_response_hop_limit": 1, "http_endpoint": "enabled"},
        tag_specifications=[
            {"resource_type": resource_type, "tags": {**tags, "Name": template_name}} for resource_type in _TAGGED
        ],
        user_data=None if user_data is None else base64.b64encode(user_data.encode()).decode(),
        opts=pulumi.ResourceOptions(parent=owner),
    )
