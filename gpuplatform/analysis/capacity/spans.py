"""The spread of a team's largest job: on one node, on one block of nodes that are placed together, or beyond.

The vCPU quotas that a stack needs at its ceilings are here too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from gpuplatform.catalog.instance_types import InstanceType, types_named
from gpuplatform.plan.node_pools import PlannedNodePool, plan, unit_resource
from gpuplatform.plan.queues import Flavor, flavors, queue_plan_of
from gpuplatform.plan.teams import limit, pools_of, training
from gpuplatform.settings.partial import PartialSettings
from gpuplatform.settings.tenants import Namespace, Scheduling, Tenant
from gpuplatform.standard.markets import Market


@dataclass(frozen=True, slots=True)
class Span:
    """The largest job of a training namespace, in units of one resource."""

    tenant: str
    namespace: str
    resource: str
    quota: int
    """The most that the namespace may hold at one time, loans included."""
    largest_job: int
    """The most that the pods of one job have together: they are alike, so they use one pool, card and market."""
    pool: str
    """The pool that has room for this job."""
    one_node: int
    """The units of the largest node of its pools."""
    one_block: int
    """The units of its largest placement group or zone of static nodes; 0 where its pools have neither."""

    @property
    def fits(self) -> bool:
        """Whether the job can run on one node or on nodes that are placed together."""
        return self.largest_job <= max(self.one_node, self.one_block)

    @property
    def says(self) -> str | None:
        """One line for a person; None where one block holds as much as the quota allows."""
        if self.fits and self.largest_job == self.quota:
            return None
        together = (
            f"nodes placed together have {self.one_block}"
            if self.one_block
            else "none of its pools places nodes together"
        )
        pool_text = (
            "" if self.largest_job == self.quota else f", on pool {self.pool}, although it may hold {self.quota}"
        )
        distance_text = "" if self.fits else "; it runs on nodes that may be far apart"
        return (
            f"the largest job of {self.tenant} in {self.namespace} is {self.largest_job} {self.resource}{pool_text}:"
            f" one node has {self.one_node}, {together}{distance_text}"
        )


def spans(settings: PartialSettings) -> tuple[Span, ...]:
    """One span for each resource that a training namespace may hold and one of its pools offers."""
    planned, flavors_of_stack = plan(settings.pools, settings.zones), flavors(settings.pools, settings.zones)
    shares = {
        (team.tenant.name, share.flavor.name): share.nominal + share.borrow
        for team in queue_plan_of(settings).teams
        for share in team.shares
    }
    spans_of_stack: list[Span] = []
    for tenant in settings.tenants:
        for namespace in training(tenant):
            usable_pools = {pool.name for pool in pools_of(namespace, settings.pools)}
            for resource in namespace.quota:
                node_pools = [
                    node_pool
                    for node_pool in planned
                    if node_pool.pool.name in usable_pools and unit_resource(node_pool.pool) == resource
                ]
                most = limit(tenant, namespace, resource)
                parts = _parts(
                    tenant, namespace, [flavor for flavor in flavors_of_stack if flavor.planned in node_pools], shares
                )
                if most and parts:
                    job, pool = max(parts, key=lambda part: part[0])
                    largest = min(most, job)
                    spans_of_stack.append(
                        Span(
                            tenant.name,
                            namespace.name,
                            resource,
                            most,
                            largest,
                            pool,
                            _node(node_pools),
                            _block(node_pools),
                        )
                    )
    return tuple(spans_of_stack)


def _parts(
    tenant: Tenant, namespace: Namespace, usable: Iterable[Flavor], shares: dict[tuple[str, str], int]
) -> list[tuple[int, str]]:
    """(units, pool) of each flavor that the namespace may use; a queue limits it to its share of the flavor."""
    is_queued = namespace.scheduling is Scheduling.QUEUED
    return [
        (shares.get((tenant.name, flavor.name), 0) if is_queued else flavor.units, flavor.planned.pool.name)
        for flavor in usable
    ]


def _node(planned: Sequence[PlannedNodePool]) -> int:
    return max(node.cards * node_pool.units_per_card for node_pool in planned for node in node_pool.types)


def _block(planned: Sequence[PlannedNodePool]) -> int:
    block_units = (
        node_pool.ceiling_cards * node_pool.units_per_card
        for node_pool in planned
        if node_pool.pool.placement_group is not None or node_pool.replicas is not None
    )
    return max(block_units, default=0)


_CLASSES = {"g": "G and VT", "p": "P", "inf": "Inf", "trn": "Trn"}
_OTHERS = "Standard (A, C, D, H, I, M, R, T, Z)"
_LETTERS = re.compile(r"^[a-z]+")


@dataclass(frozen=True, slots=True)
class VcpuNeed:
    """The vCPU quota that one class of instance families needs on one market."""

    families: str
    """As EC2 names the class: ``G and VT``, ``P``."""
    market: str
    """``on-demand`` or ``spot``."""
    vcpus: int


def vcpu_needs(settings: PartialSettings) -> tuple[VcpuNeed, ...]:
    """The vCPU quotas at every ceiling, on the sizes with most vCPUs; a pool that may use two markets needs both."""
    sums: dict[tuple[str, str], int] = {}
    for key, vcpus in _vcpu_parts(settings):
        sums[key] = sums.get(key, 0) + vcpus
    return tuple(VcpuNeed(*key, vcpus) for key, vcpus in sorted(sums.items()))


def _vcpu_parts(settings: PartialSettings) -> Iterator[tuple[tuple[str, str], int]]:
    for node_pool in plan(settings.pools, settings.zones):
        for key in {_key(node, node_pool.market.market) for node in node_pool.types}:
            yield key, _largest(key, node_pool)
    for pool in settings.cpu_pools:
        for key in {_key(node, market) for node in types_named(pool.instance_types) for market in pool.markets}:
            yield key, pool.ceiling_vcpus
    for pool in settings.neuron_pools:
        for market in pool.markets:
            for key in {_key(node, market) for node in types_named(pool.instance_types)}:
                types = [
                    node
                    for node in types_named(pool.instance_types)
                    if _key(node, market) == key and node.neuron_devices
                ]
                yield (
                    key,
                    max(
                        (pool.ceiling_devices // node.neuron_devices * node.vcpus for node in types),
                        default=0,
                    ),
                )
    if settings.system_nodes is not None:
        sizes = [node.vcpus for node in types_named(settings.system_nodes.instance_types)]
        yield (_OTHERS, Market.ON_DEMAND.value), settings.system_nodes.nodes * max(sizes, default=0)


def _largest(key: tuple[str, str], planned: PlannedNodePool) -> int:
    types = [node for node in planned.types if _key(node, planned.market.market) == key and node.cards]
    return max((planned.ceiling_cards // node.cards * node.vcpus for node in types), default=0)


def _key(node: InstanceType, market: Market) -> tuple[str, str]:
    letters = _LETTERS.match(node.family)
    quota_market = Market.SPOT if market is Market.SPOT else Market.ON_DEMAND
    return _CLASSES.get(letters[0] if letters else "", _OTHERS), quota_market.value
