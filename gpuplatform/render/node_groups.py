"""Managed node groups: static pools that EKS makes, where Karpenter's gate for static capacity is off.

The nodes have the labels and taints that Karpenter's nodes would have, so that pods and the operator see no difference.
Only the capacity type is missing, because Karpenter alone writes it.
"""

from __future__ import annotations

from dataclasses import dataclass

from gpuplatform.plan.node_pools import PlannedNodePool
from gpuplatform.render.document import Document
from gpuplatform.render.node_classes import node_user_data
from gpuplatform.render.nodepools import instruction_labels
from gpuplatform.settings.pools import RootVolume, root_volume
from gpuplatform.settings.settings import Settings
from gpuplatform.standard.taints import TaintEffect

_EKS_EFFECTS = {
    TaintEffect.NO_SCHEDULE: "NO_SCHEDULE",
    TaintEffect.NO_EXECUTE: "NO_EXECUTE",
    TaintEffect.PREFER_NO_SCHEDULE: "PREFER_NO_SCHEDULE",
}
_AMI_TYPES = {"amd64": "AL2023_x86_64_NVIDIA", "arm64": "AL2023_ARM_64_NVIDIA"}


@dataclass(frozen=True, slots=True)
class NodeGroup:
    """The inputs of a pool's managed node group."""

    name: str
    pool: str
    """The pool of the settings that the node group belongs to."""
    instance_types: tuple[str, ...]
    ami_type: str
    nodes: int
    zone: str
    labels: dict[str, str]
    taints: tuple[dict[str, str], ...]
    """As EKS writes them: key, value, effect."""
    volume: RootVolume
    user_data: str

    def as_inputs(self) -> Document:
        """The inputs of the EKS node group that the policy rules read, by their names."""
        return {
            "amiType": self.ami_type,
            "instanceTypes": list(self.instance_types),
            "labels": self.labels,
            "taints": list(self.taints),
            "scalingConfig": {"desiredSize": self.nodes, "minSize": self.nodes, "maxSize": self.nodes + 1},
        }


def node_group(planned: PlannedNodePool, settings: Settings) -> NodeGroup:
    """The node group of one static pool in one zone."""
    return NodeGroup(
        name=planned.name,
        pool=planned.pool.name,
        instance_types=tuple(instance_type.name for instance_type in planned.types),
        ami_type=_AMI_TYPES[planned.types[0].architecture],
        nodes=planned.replicas or 0,
        zone=planned.zones[0],
        labels=instruction_labels(planned, settings.aliases),
        taints=tuple(
            {"key": taint.key, "value": taint.value, "effect": _EKS_EFFECTS[taint.effect]} for taint in planned.taints
        ),
        volume=root_volume(planned.pool),
        user_data=node_user_data(planned.pool),
    )
