"""A stack as a pod meets it: NodePools and what they launch, namespaces and what they allow. Plain data alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gpuplatform.standard import keys, labels, resources
from gpuplatform.standard.taints import Taint


@dataclass(frozen=True, slots=True, eq=False)
class LaunchOption:
    """One instance type on one market."""

    instance_type: str
    labels: Mapping[str, str]
    """What its nodes carry beside the NodePool's labels: type, architecture, capacity type."""
    devices: Mapping[str, int]
    """Extended resources of a node."""
    cpu_millis: int
    memory_mib: int
    """Allocatable as Karpenter expects it, before the DaemonSets' share."""
    usd_per_hour: float | None
    """List price of a node, None where it is not known."""


@dataclass(frozen=True, slots=True, eq=False)
class NodePoolView:
    """One NodePool, or a managed node group of a static pool."""

    name: str
    pool: str
    """The settings' pool that it is part of."""
    labels: Mapping[str, str]
    """On every one of its nodes."""
    zones: tuple[str, ...]
    taints: tuple[Taint, ...]
    options: tuple[LaunchOption, ...]
    weight: int | None
    """Preference among elastic NodePools, higher first; None where it has no weight."""
    replicas: int | None
    """Nodes that are there whether pods ask or not; None where it is elastic."""
    most_per_container: int | None
    """Cards that one container may ask for, where cards are shared in turns: a second share gives nothing more."""
    claim_template: str | None
    """Where cards are claimed: the template that a pod names instead of counting."""

    @property
    def is_open_to_all(self) -> bool:
        """Whether every namespace may use it: its nodes have neither cards nor Neuron devices."""
        return labels.PURPOSE.key not in self.labels and not any(
            resources.NEURON in option.devices for option in self.options
        )


@dataclass(frozen=True, slots=True)
class NamespaceView:
    """A team's namespace."""

    name: str
    priorities: tuple[str, ...]
    quota: Mapping[str, int]
    """The most of each card or slice resource at one time."""
    pools: tuple[str, ...]
    """The GPU and Neuron pools that it may use; those that are open to all are not among them."""
    queue: str | None
    """The queue in which its work waits; None where Kueue leaves it alone."""
    default_memory_mib: int
    """What a container without a memory limit is limited to."""


@dataclass(frozen=True, slots=True, eq=False)
class StackView:
    """Everything of a stack that a pod can meet."""

    environment: str
    node_pools: tuple[NodePoolView, ...]
    namespaces: tuple[NamespaceView, ...]

    @property
    def card_resources(self) -> frozenset[str]:
        """Every card, share or slice resource that some NodePool offers."""
        return frozenset(
            resource
            for each in self.node_pools
            for option in each.options
            for resource, amount in option.devices.items()
            if amount and resources.is_card_resource(resource)
        )

    @property
    def label_keys(self) -> frozenset[str]:
        """Every label key that the view tells of some node; what else nodes carry, nobody here knows."""
        told = {keys.ZONE}
        for each in self.node_pools:
            told.update(each.labels, *(option.labels for option in each.options))
        return frozenset(told)

    def namespace(self, name: str) -> NamespaceView | None:
        """The namespace of that name, or None."""
        return next((each for each in self.namespaces if each.name == name), None)

    def of_pool(self, pool: str) -> tuple[NodePoolView, ...]:
        """The NodePools of one pool."""
        return tuple(each for each in self.node_pools if each.pool == pool)
