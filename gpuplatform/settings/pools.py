"""GPU pools: what each is for, which cards it buys, how a card is shared (N1-N9, G7-G12)."""

from __future__ import annotations

import enum
from typing import Annotated, Literal

from pydantic import Field

from gpuplatform.settings.disruption import Disruption
from gpuplatform.settings.model import LabelValue, Model, PoolName
from gpuplatform.standard.labels import Purpose, Role
from gpuplatform.standard.markets import Market
from gpuplatform.standard.taints import Effect

MAX_MPS_SHARES = 48
"""MPS serves at most 48 clients on one card since Volta (NVIDIA/k8s-device-plugin README, v0.20.0)."""


class MarketChoice(Model):
    """One way to buy a card, and how many of it at most."""

    market: Market
    ceiling_cards: Annotated[int, Field(ge=1)] | None = None
    """The most physical cards of this card and market; required unless the pool is static."""
    reservation_ids: tuple[Annotated[str, Field(pattern=r"^cr-[0-9a-f]{8,17}$")], ...] = ()
    """Capacity reservations or blocks, by id; required with, and only with, market `reserved` (N22)."""


class CardChoice(Model):
    """One card that the pool may use, with the instance types that carry it."""

    card: str
    """A card of the catalogue, such as A100-80GB."""
    instance_types: Annotated[tuple[str, ...], Field(min_length=1)]
    """By name, from the catalogue; all carry this card, and a pool is of one architecture."""
    markets: Annotated[tuple[MarketChoice, ...], Field(min_length=1)]
    """In order of preference."""


class Sharing(Model):
    """How one card serves several pods: exactly one of the three, the same on every card of the pool."""

    mig: str | None = None
    """A MIG profile, such as 1g.10gb: the card is cut into as many as it holds."""
    time_slicing: int | None = None
    """shares_per_card: pods take turns; no isolation of memory or faults."""
    mps: int | None = None
    """shares_per_card: pods run at once, each with an equal part of the memory; no isolation of faults."""

    @property
    def shares_per_card(self) -> int | None:
        """Pods on one card where it is time-sliced or under MPS."""
        return self.time_slicing if self.time_slicing is not None else self.mps


class EarlierSharing(Model):
    """A way of sharing that no pool declares any more, while running nodes may still wear its configuration."""

    card: str
    """The card that was shared so."""
    sharing: Sharing


class NodeClass(Model):
    """What differs from the purpose's defaults in the pool's EC2NodeClass (N16-N19)."""

    root_volume_gib: Annotated[int, Field(ge=20, le=16384)] | None = None
    root_volume_iops: Annotated[int, Field(ge=3000, le=16000)] | None = None
    root_volume_throughput_mib_s: Annotated[int, Field(ge=125, le=1000)] | None = None
    node_config: str | None = None
    """A NodeConfig document merged by nodeadm (kubelet settings and the like), over the platform's own."""
    shell: str | None = None
    """A shell script run before the kubelet starts."""


class Provisioner(enum.StrEnum):
    """Who makes a pool's nodes."""

    KARPENTER = "karpenter"
    MANAGED_NODE_GROUP = "managed-node-group"  # EKS, a fixed number: needs no alpha gate of Karpenter's


class MigBringUp(enum.StrEnum):
    """Who cuts a MIG pool's cards, and when.

    ``operator``: the GPU Operator's MIG manager, after the node has joined. Nothing is added to user data, and the
    node is up sooner, but whole cards stand on it for a while, and on Ampere it reboots under the cluster's eyes.
    ``before-kubelet``: a systemd unit from user data, at every boot. A node joins with its slices or not at all, and
    the operator finds its layout applied; but each boot waits for it, and a new script replaces the pool's nodes.
    """

    OPERATOR = "operator"
    BEFORE_KUBELET = "before-kubelet"


class PoolTaint(Model):
    """A further taint on the pool's nodes, answered by its generated block."""

    key: Annotated[str, Field(pattern=r"^([a-z0-9.-]+/)?[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$")]
    value: LabelValue
    effect: Effect = Effect.NO_SCHEDULE


class Pool(Model):
    """One GPU pool. It becomes one NodePool for each card choice and market (and zone, where it is static)."""

    name: PoolName
    purpose: Purpose
    """What the pool is for; the label `gpu.pool`."""
    role: Role = Role.WORKER
    """`chief`: a fixed number of protected nodes. `worker`: elastic."""
    cards: Annotated[tuple[CardChoice, ...], Field(min_length=1)]
    """In order of preference: within one market the first card is tried first."""
    sharing: Sharing | Literal["exclusive"] = "exclusive"
    """`exclusive`, or one of `{mig: PROFILE}`, `{time_slicing: N}`, `{mps: N}`."""
    mig_bring_up: MigBringUp = MigBringUp.OPERATOR
    """Who cuts the cards of a MIG pool: `operator` once the node has joined, or `before-kubelet` at every boot."""
    dra: bool = False
    """Pods claim the cards (dynamic resource allocation) instead of counting them; on static pools alone. Off, because
    Karpenter's AWS provider cannot start a node for a claim, and NVIDIA's device plugin and DRA driver must not hand
    out the same card: the GPU Operator's operands, metrics included, stay away from the pool's nodes."""
    nodes: Annotated[int, Field(ge=1, le=1000)] | None = None
    """A static pool: so many nodes in all, spread evenly over `zones`. Without it the pool is elastic."""
    provisioner: Provisioner = Provisioner.KARPENTER
    """`managed-node-group` makes a static pool without Karpenter, where the gate `static_capacity` is off."""
    zones: tuple[str, ...] = ()
    """Zones of the network that the pool may use; all of them by default, the first one where it is static."""
    disruption: Disruption = Disruption()
    expire_after_hours: Annotated[int, Field(ge=1, le=8760)] | Literal["never"] = "never"
    """Age at which a node is replaced by force, whatever runs there; budgets do not hold it back."""
    expected_use_percent: Annotated[int, Field(ge=0, le=100)] | None = None
    """How much of its ceiling is used on average, for the expected bill; `cost.expected_use_percent` by default."""
    efa: bool = False
    """Attach the instance type's EFA interfaces, for multi-node training (N23)."""
    placement_group: Annotated[str, Field(min_length=1, max_length=255)] | None = None
    """An existing EC2 placement group by name, so that nodes stand close together."""
    node_class: NodeClass = NodeClass()
    taints: tuple[PoolTaint, ...] = ()
    """Further taints that keep others out: eight-card work, protected on-demand."""
    taint_effect: Effect = Effect.NO_SCHEDULE
    """Effect of the standard's taints: `NoSchedule` keeps new pods away, `NoExecute` also evicts those that run."""
