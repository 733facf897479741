"""Managed node groups: static pools that EKS makes, where Karpenter's gate for static capacity is off (N1).

The nodes wear the same labels and taints as Karpenter's would, so that pods and the operator see no difference; only
the capacity type is not among them, because Karpenter alone writes it.
"""

from __future__ import annotations

from dataclasses import dataclass

from gpuplatform.render.document import Document
from gpuplatform.render.node_classes import node_user_data
from gpuplatform.render.nodepools import instruction_labels
from gpuplatform.settings.plan import PlannedNodePool
from gpuplatform.settings.settings import Settings
from gpuplatform.settings.volumes import RootVolume, root_volume
from gpuplatform.standard.taints import Effect

_EKS_EFFECTS = {
    Effect.NO_SCHEDULE: "NO_SCHEDULE",
    Effect.NO_EXECUTE: "NO_EXECUTE",
    Effect.PREFER_NO_SCHEDULE: "PREFER_NO_SCHEDULE",
}
_AMI_TYPES = {"amd64": "AL2023_x86_64_NVIDIA", "arm64": "AL2023_ARM_64_NVIDIA"}


@dataclass(frozen=True, slots=True)
class NodeGroup:
    """What a managed node group of a pool is made from."""

    name: str
    pool: str
    """The pool of the settings that it is made for."""
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
        """What the policy rules read of the EKS node group, under the names of its inputs."""
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
        instance_types=tuple(each.name for each in planned.types),
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
