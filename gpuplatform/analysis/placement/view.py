"""A stack as a pod sees it, as plain data: NodePools with their launch options, namespaces with their limits."""

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
    """The labels of its nodes beside the NodePool's labels: type, architecture, capacity type."""
    devices: Mapping[str, int]
    """Extended resources of a node."""
    cpu_millis: int
    memory_mib: int
    """Allocatable CPU and memory as Karpenter expects them; the requests of DaemonSets are not subtracted."""
    usd_per_hour: float | None
    """List price of a node, None where it is not known."""


@dataclass(frozen=True, slots=True, eq=False)
class NodePoolView:
    """One NodePool, or a managed node group of a static pool."""

    name: str
    pool: str
    """The pool of the settings that the NodePool belongs to."""
    labels: Mapping[str, str]
    """The labels that all of its nodes have."""
    zones: tuple[str, ...]
    taints: tuple[Taint, ...]
    options: tuple[LaunchOption, ...]
    weight: int | None
    """Preference among elastic NodePools, higher first; None where it has no weight."""
    replicas: int | None
    """The number of static nodes; None for an elastic NodePool."""
    most_per_container: int | None
    """The number of shares that one container may ask for, where cards are shared; None where there is no limit."""
    claim_template: str | None
    """The ResourceClaimTemplate that a pod names where cards are claimed; None elsewhere."""

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
    """The GPU and Neuron pools that it may use, without the pools that are open to all."""
    queue: str | None
    """The queue of its work; None where Kueue does not manage the namespace."""
    default_memory_mib: int
    """The memory limit of a container that sets none."""


@dataclass(frozen=True, slots=True, eq=False)
class StackView:
    """The parts of a stack that decide where a pod lands."""

    environment: str
    node_pools: tuple[NodePoolView, ...]
    namespaces: tuple[NamespaceView, ...]

    @property
    def card_resources(self) -> frozenset[str]:
        """Every card, share or slice resource that some NodePool offers."""
        return frozenset(
            resource
            for node_pool in self.node_pools
            for option in node_pool.options
            for resource, amount in option.devices.items()
            if amount and resources.is_card_resource(resource)
        )

    @property
    def label_keys(self) -> frozenset[str]:
        """Every label key that the view has for some node; nodes may have further labels."""
        label_keys = {keys.ZONE}
        for node_pool in self.node_pools:
            label_keys.update(node_pool.labels, *(option.labels for option in node_pool.options))
        return frozenset(label_keys)

    def namespace(self, name: str) -> NamespaceView | None:
        """The namespace of that name, or None."""
        return next((namespace for namespace in self.namespaces if namespace.name == name), None)

    def of_pool(self, pool: str) -> tuple[NodePoolView, ...]:
        """The NodePools of one pool."""
        return tuple(node_pool for node_pool in self.node_pools if node_pool.pool == pool)
