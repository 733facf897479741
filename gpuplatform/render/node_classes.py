"""EC2NodeClasses, and the user data of nodes: NodeConfig documents and shell scripts as MIME parts.

nodeadm merges the NodeConfigs in their order, the later over the earlier: maps key by key, lists whole
(awslabs/amazon-eks-ami nodeadm/internal/api/merge.go and nodeadm/internal/util/merge.go, v20260714). The platform's is
first, then the pool's own. Karpenter appends its own last, and its values win over those of the others.
"""

from __future__ import annotations

from collections.abc import Iterable

from gpuplatform.plan.node_pools import efa_layouts, needs_named_interfaces
from gpuplatform.render.bring_up.install import partition_shell
from gpuplatform.render.bring_up.runtime import RUNTIME_SHELL
from gpuplatform.render.document import Document, as_yaml, kubernetes_object
from gpuplatform.settings.pools import PLAIN_DISK, Pool, RootVolume, root_volume
from gpuplatform.settings.settings import Settings
from gpuplatform.standard import keys, names, versions

API_VERSION = "karpenter.k8s.aws/v1"
ROOT_DEVICE = "/dev/xvda"
"""Amazon Linux 2023's root device."""
_BOUNDARY = "gpu-platform"
_NODE_CONFIG_TYPE = "application/node.eks.aws"
_SHELL_TYPE = 'text/x-shellscript; charset="us-ascii"'

_ALL_MEMORY_BYTES = 2**53
"""More than any node has. "Unlimited", 2^64 - 1, cannot be written: nodeadm merges numbers as floating point, which
makes it 18446744073709552000, and containerd then reads no specification at all. Up to 2^53 they stay exact."""

_OPEN_FILES: Document = {"type": "RLIMIT_NOFILE", "soft": 65536, "hard": 1048576}
"""The image's own limit (nodeadm/internal/containerd/base-runtime-spec.json, v20260714), repeated: a list replaces
the image's list, and without it containers have the host's limit, with which some allocate memory until they are
killed."""

_LOCKED_MEMORY: Document = {"type": "RLIMIT_MEMLOCK", "soft": _ALL_MEMORY_BYTES, "hard": _ALL_MEMORY_BYTES}
"""EFA's buffers are locked memory, and libfabric wants no limit on it (ofiwg/libfabric prov/efa/docs/overview.md;
awslabs/awsome-distributed-ai#647: "(-12) Cannot allocate memory"). The image sets none, so containers have the limit
that systemd gives containerd, 8 MiB (NVIDIA/nvidia-container-toolkit#2037). Bottlerocket raises it where EFA is
attached (bottlerocket-os/bottlerocket-core-kit#141); Amazon Linux 2023 does not. Not verified on a node."""


def gpu_node_class(pool: Pool, settings: Settings) -> Document:
    """The EC2NodeClass of a GPU pool."""
    spec = _spec(settings, names.node_class(pool.name), root_volume(pool), node_user_data(pool))
    reservations = [
        reservation for choice in pool.cards for market in choice.markets for reservation in market.reservation_ids
    ]
    if reservations:
        spec["capacityReservationSelectorTerms"] = [{"id": reservation} for reservation in dict.fromkeys(reservations)]
    if pool.efa and needs_named_interfaces(pool):
        spec["networkInterfaces"] = _interfaces(efa_layouts(pool)[0])
    if pool.placement_group is not None:
        spec["placementGroupSelector"] = {"name": pool.placement_group}
    return kubernetes_object(API_VERSION, "EC2NodeClass", names.node_class(pool.name), spec=spec)


def plain_node_class(name: str, settings: Settings) -> Document:
    """The EC2NodeClass of a CPU or Neuron pool."""
    spec = _spec(settings, name, PLAIN_DISK, None)
    return kubernetes_object(API_VERSION, "EC2NodeClass", names.node_class(name), spec=spec)


def node_user_data(pool: Pool) -> str:
    """The user data of a GPU pool's nodes, launched by Karpenter or by a node group.

    The script that configures the container runtime is first, before the pool's own script. The partitioning script is
    last: it may reboot the machine, and cloud-init would not run the pool's own script again.
    """
    chosen = pool.node_class
    return user_data((pool_node_config(pool), chosen.node_config), (RUNTIME_SHELL, chosen.shell, partition_shell(pool)))


def pool_node_config(pool: Pool) -> str | None:
    """The NodeConfig of a GPU pool's nodes as YAML: containers of EFA pools may lock all memory. None for others."""
    if not pool.efa:
        return None
    process: Document = {"rlimits": [_OPEN_FILES, _LOCKED_MEMORY]}
    # Schema: awslabs/amazon-eks-ami nodeadm/api/v1alpha1/nodeconfig_types.go, ContainerdOptions.
    return as_yaml(
        {
            "apiVersion": "node.eks.aws/v1alpha1",
            "kind": "NodeConfig",
            "spec": {"containerd": {"baseRuntimeSpec": {"process": process}}},
        }
    )


def user_data(node_configs: Iterable[str | None], shells: Iterable[str | None]) -> str:
    """The parts as one MIME text.

    nodeadm merges the NodeConfigs and cloud-init runs the scripts in the order of the arguments; None is left out.
    """
    parts = [(_NODE_CONFIG_TYPE, config) for config in node_configs if config is not None]
    parts += [(_SHELL_TYPE, shell) for shell in shells if shell is not None]
    lines = ["MIME-Version: 1.0", f'Content-Type: multipart/mixed; boundary="{_BOUNDARY}"', ""]
    for kind, text in parts:
        lines += [f"--{_BOUNDARY}", f"Content-Type: {kind}", "", text.rstrip("\n"), ""]
    return "\n".join([*lines, f"--{_BOUNDARY}--", ""])


def node_role_name(cluster: str) -> str:
    """The IAM role of every node that Karpenter makes."""
    return f"{cluster}-karpenter-node"


def discovery_tags(cluster: str) -> dict[str, str]:
    """The tag by which Karpenter finds security groups, and the subnets of a network that the platform makes."""
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
        "tags": {**settings.stack_tags, keys.POOL: pool},
    }
    if user_data_text is not None:
        spec["userData"] = user_data_text
    return spec


def _subnets(settings: Settings) -> list[Document]:
    """Subnet selectors: by tag where the platform makes the network, by id on an existing network.

    The tag has one value a subnet, so two clusters on an existing network would overwrite each other's tag.
    Changing one way to the other replaces no node: the selectors are not part of the class's hash
    (aws/karpenter-provider-aws v1.14.1, pkg/apis/v1/ec2nodeclass.go).
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
