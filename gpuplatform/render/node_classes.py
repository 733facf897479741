"""EC2NodeClasses: image, network, disk, metadata service and start-up of a pool's nodes (N16-N19, N22-N24)."""

from __future__ import annotations

from gpuplatform.render.bringup.install import partition_shell
from gpuplatform.render.bringup.runtime import RUNTIME_SHELL
from gpuplatform.render.document import Document, a
from gpuplatform.render.node_config import pool_node_config
from gpuplatform.render.user_data import user_data
from gpuplatform.settings.plan import efa_layouts, needs_named_interfaces
from gpuplatform.settings.pools import Pool
from gpuplatform.settings.settings import Settings
from gpuplatform.settings.volumes import PLAIN_DISK, RootVolume, root_volume
from gpuplatform.standard import keys, names, versions

API_VERSION = "karpenter.k8s.aws/v1"
ROOT_DEVICE = "/dev/xvda"
"""Amazon Linux 2023's root device."""
POOL_TAG = "gpu-platform/pool"
"""On instances and volumes: the pool of the settings that they were made for."""


def gpu_node_class(pool: Pool, settings: Settings) -> Document:
    """The EC2NodeClass of a GPU pool."""
    spec = _spec(settings, names.node_class(pool.name), root_volume(pool), node_user_data(pool))
    reservations = [each for choice in pool.cards for market in choice.markets for each in market.reservation_ids]
    if reservations:
        spec["capacityReservationSelectorTerms"] = [{"id": each} for each in dict.fromkeys(reservations)]
    if pool.efa and needs_named_interfaces(pool):
        spec["networkInterfaces"] = _interfaces(efa_layouts(pool)[0])
    if pool.placement_group is not None:
        spec["placementGroupSelector"] = {"name": pool.placement_group}
    return a(API_VERSION, "EC2NodeClass", names.node_class(pool.name), spec=spec)


def plain_node_class(name: str, settings: Settings) -> Document:
    """The EC2NodeClass of a CPU or Neuron pool."""
    spec = _spec(settings, name, PLAIN_DISK, None)
    return a(API_VERSION, "EC2NodeClass", names.node_class(name), spec=spec)


def node_user_data(pool: Pool) -> str:
    """The user data of a GPU pool's nodes, whoever makes them.

    The runtime is told first, so that no script of the pool's own comes before it. Partitioning is last: it may reboot
    the machine, and cloud-init would not run the pool's own script again.
    """
    chosen = pool.node_class
    return user_data((pool_node_config(pool), chosen.node_config), (RUNTIME_SHELL, chosen.shell, partition_shell(pool)))


def node_role_name(cluster: str) -> str:
    """The IAM role of every node that Karpenter makes."""
    return f"{cluster}-karpenter-node"


def discovery_tags(cluster: str) -> dict[str, str]:
    """The tag by which Karpenter finds security groups, and the subnets of a network of our own (F8)."""
    return {keys.DISCOVERY: cluster}


def _spec(settings: Settings, pool: str, volume: RootVolume, user_data_text: str | None) -> Document:
    cluster = settings.cluster.name
    spec: Document = {
        "amiSelectorTerms": [{"alias": f"{versions.AL2023_IMAGE.name}@{versions.AL2023_IMAGE.version}"}],
        "role": node_role_name(cluster),
        "subnetSelectorTerms": _subnets(settings),
        "securityGroupSelectorTerms": [{"tags": discovery_tags(cluster)}],
        "blockDeviceMappings": [
            {
                "deviceName": ROOT_DEVICE,
                "rootVolume": True,
                "ebs": {
                    "volumeType": "gp3",
                    "volumeSize": f"{volume.size_gib}Gi",
                    "iops": volume.iops,
                    "throughput": volume.throughput_mib_s,
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
        "tags": {**settings.stack_tags, POOL_TAG: pool},
    }
    if user_data_text is not None:
        spec["userData"] = user_data_text
    return spec


def _subnets(settings: Settings) -> list[Document]:
    """By the tag on subnets of our own; by id on an existing network, where the tag has one value a subnet.

    Two clusters on one network would overwrite each other's tag. Changing one way to the other replaces no node: the
    selectors are not part of the class's hash (aws/karpenter-provider-aws v1.14.1, pkg/apis/v1/ec2nodeclass.go).
    """
    existing = settings.network.existing
    if existing is None:
        return [{"tags": discovery_tags(settings.cluster.name)}]
    return [{"id": subnet.id} for subnet in existing.private_subnets]


def _interfaces(efa_cards: range) -> list[Document]:
    """One primary interface, and one EFA on each network card that takes one.

    Card 0 has the primary interface as its device 0, so its EFA is device 1, and device 1 on the other cards as well.
    Where EFA begins on a later card, it is device 0 of each (AWS in aws/aws-parallelcluster#7143, of p6-b300).
    """
    primary: Document = {"networkCardIndex": 0, "deviceIndex": 0, "interfaceType": "interface"}
    device = 0 if efa_cards.start else 1
    efa: list[Document] = [
        {"networkCardIndex": card, "deviceIndex": device, "interfaceType": "efa-only"} for card in efa_cards
    ]
    return [primary, *efa]
