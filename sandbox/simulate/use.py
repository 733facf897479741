"""How much of what is paid for is asked for: the cards' memory, their compute, and the hosts' CPUs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from gpuplatform.catalog.cards import Card
from gpuplatform.catalog.mig import geometry
from gpuplatform.proofs.capture.quantity import quantity
from gpuplatform.proofs.share import way_of
from gpuplatform.settings.plan import PlannedNodePool, mig_profile, plan, unit_resource
from gpuplatform.settings.pools import Pool
from gpuplatform.settings.settings import Settings
from gpuplatform.standard import resources
from sandbox.cluster import Node
from sandbox.simulate.owners import Workload
from sandbox.simulate.scene import Scene, SeenPod


@dataclass(frozen=True, slots=True)
class Use:
    """Shares from 0 to 1 of all nodes together; None where there is none of it."""

    card_memory: float | None
    card_compute: float | None
    host_cpu: float | None


@dataclass(frozen=True, slots=True)
class Landing:
    """The pods of a workload that landed alike."""

    workload: Workload
    pool: str
    """The settings' pool; the NodePool's own name where it is none of a GPU pool's."""
    nodepool: str
    instance_type: str
    market: str
    zones: tuple[str, ...]
    pods: int
    nodes: int
    usd_per_hour: float
    """The pods' part of their nodes, by the cards, slices or CPUs that they take; what is left idle is nobody's."""


def use(of: Scene, settings: Settings) -> Use:
    """What the pods of a scene ask for, of what its nodes have."""
    planned = planned_by_name(settings)
    memory = compute = cpu = Fraction(0)
    paid_memory = paid_compute = paid_cpu = Fraction(0)
    asked = _asked_by_node(of)
    for node in of.nodes:
        wanted = asked.get(node.name, {})
        cpu += wanted.get(resources.CPU, Fraction(0))
        paid_cpu += quantity(node.offers[resources.CPU]) or 0
        found = planned.get(node.nodepool)
        if found is None:
            continue
        cards = next(each.cards for each in found.types if each.name == node.instance_type)
        paid_compute += cards
        paid_memory += cards * Fraction(found.card.memory_gb)
        units = wanted.get(unit_resource(found.pool), Fraction(0))
        memory += units * Fraction(way_of(found.pool, found.card).unit_memory_gb)
        compute += units * compute_per_unit(found.pool, found.card)
    return Use(_share(memory, paid_memory), _share(compute, paid_compute), _share(cpu, paid_cpu))


def compute_per_unit(pool: Pool, card: Card) -> Fraction:
    """The part of a card's compute that one unit of a pool has: a slice's compute slices, or an equal share."""
    profile = mig_profile(pool)
    if profile is None:
        return Fraction(1, way_of(pool, card).units_per_card)
    table = geometry(card.mig_table) if card.mig_table else None
    known = table.profile(profile) if table else None
    return Fraction(known.compute_slices, table.compute_slices) if known and table else Fraction(0)


def landings(of: Scene, settings: Settings) -> tuple[Landing, ...]:
    """Where each workload landed, in its order; the prices and ``idle_usd_per_hour`` add up to the bill."""
    planned = planned_by_name(settings)
    nodes = {each.name: each for each in of.nodes}
    together: dict[tuple[Workload, str, str, str], list[tuple[SeenPod, Node]]] = {}
    for pod in of.pods:
        node = nodes.get(pod.node or "")
        if node is not None:
            key = (pod.workload, node.nodepool, node.instance_type, node.market.value)
            together.setdefault(key, []).append((pod, node))
    return tuple(
        Landing(
            workload,
            planned[nodepool].pool.name if nodepool in planned else nodepool,
            nodepool,
            kind,
            market,
            tuple(sorted({node.zone for _, node in found})),
            len(found),
            len({node.name for _, node in found}),
            sum(float(_part(pod, node, planned.get(nodepool))) * node.usd_per_hour for pod, node in found),
        )
        for (workload, nodepool, kind, market), found in together.items()
    )


def idle_usd_per_hour(of: Scene, settings: Settings) -> float:
    """What is paid for and taken by nobody."""
    return max(0.0, of.usd_per_hour - sum(each.usd_per_hour for each in landings(of, settings)))


def planned_by_name(settings: Settings) -> Mapping[str, PlannedNodePool]:
    """The GPU pools' NodePools."""
    return {each.name: each for each in plan(settings.pools, settings.network.zones)}


def _part(pod: SeenPod, node: Node, found: PlannedNodePool | None) -> Fraction:
    """Of the node, by units where it has them, by CPUs elsewhere."""
    counted = resources.CPU if found is None else unit_resource(found.pool)
    offered = quantity(node.offers.get(counted, "0")) or Fraction(0)
    return min(Fraction(1), pod.requests.get(counted, Fraction(0)) / offered) if offered else Fraction(0)


def _asked_by_node(of: Scene) -> dict[str, dict[str, Fraction]]:
    asked: dict[str, dict[str, Fraction]] = {}
    for pod in of.pods:
        if pod.node is not None:
            total = asked.setdefault(pod.node, {})
            for name, amount in pod.requests.items():
                total[name] = total.get(name, Fraction(0)) + amount
    return asked


def _share(part: Fraction, whole: Fraction) -> float | None:
    return float(part / whole) if whole else None
