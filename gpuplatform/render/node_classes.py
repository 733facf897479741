"""EC2NodeClasses: image, network, disk, metadata service and start-up of a pool's nodes (N16-N19, N22-N24)."""

from __future__ import annotations

from gpuplatform.catalog.instance_types import instance_type
from gpuplatform.render.document import Document, a
from gpuplatform.render.user_data import user_data
from gpuplatform.settings.pools import NodeClass, Pool
from gpuplatform.settings.settings import Settings
from gpuplatform.standard import keys, names, versions
from gpuplatform.standard.labels import Purpose

API_VERSION = "karpenter.k8s.aws/v1"
ROOT_DEVICE = "/dev/xvda"
"""Amazon Linux 2023's root device."""

_INFERENCE_DISK = NodeClass(root_volume_gib=200, root_volume_iops=6000, root_volume_throughput_mib_s=250)
_TRAINING_DISK = NodeClass(root_volume_gib=500, root_volume_iops=16000, root_volume_throughput_mib_s=1000)
_PLAIN_DISK = NodeClass(root_volume_gib=100, root_volume_iops=3000, root_volume_throughput_mib_s=125)
_DISKS = {Purpose.INFER: _INFERENCE_DISK, Purpose.DEV: _INFERENCE_DISK, Purpose.TRAIN: _TRAINING_DISK}
"""Root volumes of the Karpenter guide, by purpose."""


def gpu_node_class(pool: Pool, settings: Settings) -> Document:
    """The EC2NodeClass of a GPU pool."""
    spec = _spec(settings, names.node_class(pool.name), _DISKS[pool.purpose], pool.node_class)
    reservations = [each for choice in pool.cards for market in choice.markets for each in market.reservation_ids]
    if reservations:
        spec["capacityReservationSelectorTerms"] = [{"id": each} for each in dict.fromkeys(reservations)]
    if pool.efa and pool.nodes is not None:
        # A static NodeClaim carries no pod requests, so nothing but this gives it EFA interfaces.
        spec["networkInterfaces"] = _interfaces(pool)
    if pool.placement_group is not None:
        spec["placementGroupSelector"] = {"name": pool.placement_group}
    return a(API_VERSION, "EC2NodeClass", names.node_class(pool.name), spec=spec)


def plain_node_class(name: str, settings: Settings) -> Document:
    """The EC2NodeClass of a CPU or Neuron pool."""
    spec = _spec(settings, name, _PLAIN_DISK, NodeClass())
    return a(API_VERSION, "EC2NodeClass", names.node_class(name), spec=spec)


def node_role_name(cluster: str) -> str:
    """The IAM role of every node that Karpenter makes."""
    return f"{cluster}-karpenter-node"


def discovery_tags(cluster: str) -> dict[str, str]:
    """The tag by which Karpenter finds subnets and security groups (F8)."""
    return {keys.DISCOVERY: cluster}


def _spec(settings: Settings, pool: str, disk: NodeClass, override: NodeClass) -> Document:
    cluster = settings.cluster.name
    spec: Document = {
        "amiSelectorTerms": [{"alias": f"{versions.AL2023_IMAGE.name}@{versions.AL2023_IMAGE.version}"}],
        "role": node_role_name(cluster),
        "subnetSelectorTerms": [{"tags": discovery_tags(cluster)}],
        "securityGroupSelectorTerms": [{"tags": discovery_tags(cluster)}],
        "blockDeviceMappings": [
            {
                "deviceName": ROOT_DEVICE,
                "rootVolume": True,
                "ebs": {
                    "volumeType": "gp3",
                    "volumeSize": f"{override.root_volume_gib or disk.root_volume_gib}Gi",
                    "iops": override.root_volume_iops or disk.root_volume_iops,
                    "throughput": override.root_volume_throughput_mib_s or disk.root_volume_throughput_mib_s,
                    "encrypted": True,
                    "deleteOnTermination": True,
                },
            }
        ],
        # One hop: a pod cannot reach the metadata service, and so not the node's role.
        "metadataOptions": {
            "httpEndpoint": "enabled",
            "httpProtocolIPv6": "disabled",
            "httpPutResponseHopLimit": 1,
            "httpTokens": "required",
        },
        "tags": {**settings.tags, "environment": settings.environment, "gpu-platform/pool": pool},
    }
    if (text := user_data(override.node_config, override.shell)) is not None:
        spec["userData"] = text
    return spec


def _interfaces(pool: Pool) -> list[Document]:
    """One primary interface, and one EFA on each network card of the largest type."""
    known = [found for choice in pool.cards for name in choice.instance_types if (found := instance_type(name))]
    cards = max((each.efa_interfaces for each in known), default=0)
    primary: Document = {"networkCardIndex": 0, "deviceIndex": 0, "interfaceType": "interface"}
    efa: list[Document] = [
        {"networkCardIndex": card, "deviceIndex": 1, "interfaceType": "efa-only"} for card in range(cards)
    ]
    return [primary, *efa]
