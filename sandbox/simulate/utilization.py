"""Utilization: the part of the paid cards' memory, of their compute and of the hosts' CPUs that pods request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from gpuplatform.analysis.sharing import way_of
from gpuplatform.catalog.cards import Card
from gpuplatform.plan.node_pools import PlannedNodePool, mig_profile, plan, unit_resource
from gpuplatform.settings.pools import Pool
from gpuplatform.settings.settings import Settings
from gpuplatform.standard import resources
from gpuplatform.standard.quantities import quantity
from sandbox.cluster import Node
from sandbox.simulate.owners import Workload
from sandbox.simulate.snapshot import PodState, Snapshot


@dataclass(frozen=True, slots=True)
class Use:
    """Shares from 0 to 1 over all nodes; None where the nodes have none of the resource."""

    card_memory: float | None
    card_compute: float | None
    host_cpu: float | None


@dataclass(frozen=True, slots=True)
class NodeUse:
    """The pods of a workload on one NodePool, instance type and market."""

    workload: Workload
    pool: str
    """The pool in the settings; the NodePool's own name where it does not belong to a GPU pool."""
    nodepool: str
    instance_type: str
    market: str
    zones: tuple[str, ...]
    pods: int
    nodes: int
    usd_per_hour: float
    """The pods' part of their nodes' price, by the cards, slices or CPUs that they take; idle capacity is left out."""


def use(snapshot: Snapshot, settings: Settings) -> Use:
    """The part of the nodes' resources that the pods of a snapshot request."""
    node_pools = node_pools_by_name(settings)
    memory = compute = cpu = Fraction(0)
    paid_memory = paid_compute = paid_cpu = Fraction(0)
    requests_by_node = _requests_by_node(snapshot)
    for node in snapshot.nodes:
        requests = requests_by_node.get(node.name, {})
        cpu += requests.get(resources.CPU, Fraction(0))
        paid_cpu += quantity(node.offers[resources.CPU]) or 0
        node_pool = node_pools.get(node.nodepool)
        if node_pool is None:
            continue
        cards = next(
            instance_type.cards for instance_type in node_pool.types if instance_type.name == node.instance_type
        )
        paid_compute += cards
        paid_memory += cards * Fraction(node_pool.card.memory_gb)
        units = requests.get(unit_resource(node_pool.pool), Fraction(0))
        memory += units * Fraction(way_of(node_pool.pool, node_pool.card).unit_memory_gb)
        compute += units * compute_per_unit(node_pool.pool, node_pool.card)
    return Use(_share(memory, paid_memory), _share(compute, paid_compute), _share(cpu, paid_cpu))


def compute_per_unit(pool: Pool, card: Card) -> Fraction:
    """The part of a card's compute that one unit of a pool has: a slice's compute slices, or an equal share."""
    profile = mig_profile(pool)
    if profile is None:
        return Fraction(1, way_of(pool, card).units_per_card)
    table = card.geometry
    slice_profile = table.profile(profile) if table else None
    return Fraction(slice_profile.compute_slices, table.compute_slices) if slice_profile and table else Fraction(0)


def landings(snapshot: Snapshot, settings: Settings) -> tuple[NodeUse, ...]:
    """Where each workload landed, in the snapshot's order; the prices and ``idle_usd_per_hour`` sum to the bill."""
    node_pools = node_pools_by_name(settings)
    nodes = {node.name: node for node in snapshot.nodes}
    groups: dict[tuple[Workload, str, str, str], list[tuple[PodState, Node]]] = {}
    for pod in snapshot.pods:
        node = nodes.get(pod.node or "")
        if node is not None:
            key = (pod.workload, node.nodepool, node.instance_type, node.market.value)
            groups.setdefault(key, []).append((pod, node))
    return tuple(
        NodeUse(
            workload,
            node_pools[nodepool].pool.name if nodepool in node_pools else nodepool,
            nodepool,
            kind,
            market,
            tuple(sorted({node.zone for _, node in pods_and_nodes})),
            len(pods_and_nodes),
            len({node.name for _, node in pods_and_nodes}),
            sum(float(_part(pod, node, node_pools.get(nodepool))) * node.usd_per_hour for pod, node in pods_and_nodes),
        )
        for (workload, nodepool, kind, market), pods_and_nodes in groups.items()
    )


def idle_usd_per_hour(snapshot: Snapshot, settings: Settings) -> float:
    """The part of the bill that is for idle capacity."""
    return max(0.0, snapshot.usd_per_hour - sum(landing.usd_per_hour for landing in landings(snapshot, settings)))


def node_pools_by_name(settings: Settings) -> Mapping[str, PlannedNodePool]:
    """The GPU pools' NodePools."""
    return {node_pool.name: node_pool for node_pool in plan(settings.pools, settings.network.zones)}


def _part(pod: PodState, node: Node, node_pool: PlannedNodePool | None) -> Fraction:
    """The part of a node that a pod takes: by cards, slices or shares on a GPU pool's node, by CPUs elsewhere."""
    resource = resources.CPU if node_pool is None else unit_resource(node_pool.pool)
    amount = quantity(node.offers.get(resource, "0")) or Fraction(0)
    return min(Fraction(1), pod.requests.get(resource, Fraction(0)) / amount) if amount else Fraction(0)


def _requests_by_node(snapshot: Snapshot) -> dict[str, dict[str, Fraction]]:
    requests_by_node: dict[str, dict[str, Fraction]] = {}
    for pod in snapshot.pods:
        if pod.node is not None:
            total = requests_by_node.setdefault(pod.node, {})
            for name, amount in pod.requests.items():
                total[name] = total.get(name, Fraction(0)) + amount
    return requests_by_node


def _share(part: Fraction, total: Fraction) -> float | None:
    return float(part / total) if total else None
