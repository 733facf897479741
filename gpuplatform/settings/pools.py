"""GPU pools: the purpose of a pool, the cards that it buys, and how a card is shared."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from gpuplatform.settings.disruption import Disruption
from gpuplatform.settings.model import LabelValue, Model, PoolName
from gpuplatform.standard.labels import Purpose, Role
from gpuplatform.standard.markets import Market
from gpuplatform.standard.taints import TaintEffect

MAX_MPS_SHARES = 48
"""MPS serves at most 48 clients on one card since Volta (NVIDIA/k8s-device-plugin README, v0.20.0)."""


class MarketChoice(Model):
    """One market on which a card is bought, and the most cards bought there."""

    market: Market
    ceiling_cards: Annotated[int, Field(ge=1)] | None = None
    """The most physical cards of this card and market; required unless the pool is static."""
    reservation_ids: tuple[Annotated[str, Field(pattern=r"^cr-[0-9a-f]{8,17}$")], ...] = ()
    """Capacity reservations or blocks, by id; required with, and only with, market `reserved`."""


class CardChoice(Model):
    """One card that the pool may use, with the instance types that carry it."""

    card: str
    """A card of the catalog, such as A100-80GB."""
    instance_types: Annotated[tuple[str, ...], Field(min_length=1)]
    """Instance types of the catalog, by name. All carry this card, and all types of a pool have one architecture."""
    markets: Annotated[tuple[MarketChoice, ...], Field(min_length=1)]
    """Markets in order of preference."""


class Sharing(Model):
    """How one card serves several pods: exactly one of the three, the same on every card of the pool."""

    mig: str | None = None
    """A MIG profile, such as 1g.10gb: the card is cut into as many slices of it as fit."""
    time_slicing: int | None = None
    """Number of shares per card. Pods take turns; neither memory nor faults are isolated."""
    mps: int | None = None
    """Number of shares per card. Pods run at once, each with an equal part of the memory; faults are not isolated."""

    @property
    def shares_per_card(self) -> int | None:
        """Shares of one card where it is time-sliced or under MPS, else None."""
        return self.time_slicing if self.time_slicing is not None else self.mps


class EarlierSharing(Model):
    """A way of sharing that no pool declares any more, but whose configuration running nodes may still use."""

    card: str
    """The card that was shared in this way."""
    sharing: Sharing


class NodeClass(Model):
    """Settings of the pool's EC2NodeClass that differ from the defaults of its purpose."""

    root_volume_gib: Annotated[int, Field(ge=20, le=16384)] | None = None
    root_volume_iops: Annotated[int, Field(ge=3000, le=16000)] | None = None
    root_volume_throughput_mib_s: Annotated[int, Field(ge=125, le=1000)] | None = None
    node_config: str | None = None
    """A NodeConfig document (kubelet settings and the like) that nodeadm merges over the platform's own."""
    shell: str | None = None
    """A shell script that runs before the kubelet starts."""


class Provisioner(enum.StrEnum):
    """The component that makes a pool's nodes."""

    KARPENTER = "karpenter"
    MANAGED_NODE_GROUP = "managed-node-group"  # EKS, with a fixed number of nodes: needs no alpha gate of Karpenter


class MigBringUp(enum.StrEnum):
    """Which component cuts a MIG pool's cards, and when.

    ``operator``: the GPU Operator's MIG manager cuts the cards after the node has joined. It needs no user data, and
    the node joins sooner. But the node offers whole cards for a while, and on Ampere it reboots after it has joined.
    ``before-kubelet``: a systemd unit from user data cuts the cards at every boot. A node joins with its slices or not
    at all. But each boot takes longer, and a change of the script replaces the pool's nodes.
    """

    OPERATOR = "operator"
    BEFORE_KUBELET = "before-kubelet"


class PoolTaint(Model):
    """A further taint on the pool's nodes, which the pool's generated block tolerates."""

    key: Annotated[str, Field(pattern=r"^([a-z0-9.-]+/)?[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$")]
    value: LabelValue
    effect: TaintEffect = TaintEffect.NO_SCHEDULE


class Pool(Model):
    """One GPU pool. It becomes one NodePool for each card choice and market (and zone, where it is static)."""

    name: PoolName
    purpose: Purpose
    """The purpose of the pool; the value of the label `gpu.pool`."""
    role: Role = Role.WORKER
    """`chief`: a fixed number of protected nodes. `worker`: elastic."""
    cards: Annotated[tuple[CardChoice, ...], Field(min_length=1)]
    """Cards in order of preference: within one market the first card is tried first."""
    sharing: Sharing | Literal["exclusive"] = "exclusive"
    """`exclusive`, or one of `{mig: PROFILE}`, `{time_slicing: N}`, `{mps: N}`."""
    mig_bring_up: MigBringUp = MigBringUp.OPERATOR
    """How cards are cut by MIG: by the `operator` once the node has joined, or `before-kubelet` at every boot."""
    dra: bool = False
    """Pods claim the cards (dynamic resource allocation) instead of counting them. Only for static pools, because
    Karpenter's AWS provider cannot start a node for a claim. NVIDIA's device plugin and DRA driver must not allocate
    the same card, so no operands of the GPU Operator run on the pool's nodes, metrics included."""
    nodes: Annotated[int, Field(ge=1, le=1000)] | None = None
    """Makes the pool static: the total number of its nodes, spread evenly over `zones`. By default it is elastic."""
    provisioner: Provisioner = Provisioner.KARPENTER
    """`managed-node-group` makes a static pool without Karpenter, where the gate `static_capacity` is off."""
    zones: tuple[str, ...] = ()
    """Zones of the network that the pool may use. Default: all zones, or the first zone for a static pool."""
    disruption: Disruption = Disruption()
    expire_after_hours: Annotated[int, Field(ge=1, le=8760)] | Literal["never"] = "never"
    """Age at which a node is replaced, whatever runs on it; disruption budgets do not delay this."""
    expected_use_percent: Annotated[int, Field(ge=0, le=100)] | None = None
    """Average use as a percentage of the ceiling, for the expected bill. Default: `cost.expected_use_percent`."""
    efa: bool = False
    """Attach the instance type's EFA interfaces, for multi-node training."""
    placement_group: Annotated[str, Field(min_length=1, max_length=255)] | None = None
    """Name of an existing EC2 placement group, which keeps the nodes close together."""
    node_class: NodeClass = NodeClass()
    taints: tuple[PoolTaint, ...] = ()
    """Further taints that keep the pods of other pools away, such as for eight-card jobs."""
    taint_effect: TaintEffect = TaintEffect.NO_SCHEDULE
    """Effect of the standard's taints: `NoSchedule` keeps new pods away, `NoExecute` also evicts running pods."""


class CpuPool(Model):
    """Nodes without accelerators, x86 or Graviton. Graviton nodes have the taint `kubernetes.io/arch=arm64`."""

    name: PoolName
    instance_types: Annotated[tuple[str, ...], Field(min_length=1)]
    """Instance types of one architecture, because a pool is one NodePool with one ceiling."""
    markets: Annotated[tuple[Market, ...], Field(min_length=1)] = (Market.SPOT, Market.ON_DEMAND)
    ceiling_vcpus: Annotated[int, Field(ge=1)]
    """The most vCPUs of all the pool's nodes together."""
    disruption: Disruption = Disruption()
    expire_after_hours: Annotated[int, Field(ge=1, le=8760)] = 720


class NeuronPool(Model):
    """Nodes with AWS Inferentia or Trainium, with the Neuron taint."""

    name: PoolName
    instance_types: Annotated[tuple[str, ...], Field(min_length=1)]
    markets: Annotated[tuple[Market, ...], Field(min_length=1)] = (Market.ON_DEMAND,)
    ceiling_devices: Annotated[int, Field(ge=1)]
    """The most Neuron devices of all the pool's nodes together."""
    disruption: Disruption = Disruption()
    expire_after_hours: Annotated[int, Field(ge=1, le=8760)] = 720


@dataclass(frozen=True, slots=True)
class RootVolume:
    """A node's gp3 root volume, always encrypted."""

    size_gib: int
    iops: int
    throughput_mib_s: int


_INFERENCE_DISK = RootVolume(size_gib=200, iops=6000, throughput_mib_s=250)
_TRAINING_DISK = RootVolume(size_gib=500, iops=16000, throughput_mib_s=1000)
PLAIN_DISK = RootVolume(size_gib=100, iops=3000, throughput_mib_s=125)
"""Root volume of nodes without NVIDIA cards."""
_DISKS = {Purpose.INFER: _INFERENCE_DISK, Purpose.DEV: _INFERENCE_DISK, Purpose.TRAIN: _TRAINING_DISK}
"""Root volumes of the Karpenter guide, by purpose."""


def root_volume(pool: Pool) -> RootVolume:
    """The root volume of a GPU pool's nodes."""
    usual, chosen = _DISKS[pool.purpose], pool.node_class
    return RootVolume(
        chosen.root_volume_gib or usual.size_gib,
        chosen.root_volume_iops or usual.iops,
        chosen.root_volume_throughput_mib_s or usual.throughput_mib_s,
    )
