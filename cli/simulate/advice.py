"""Finds the changes that lower the bill most: another pool, a split, another size, another card.

An estimate selects the changes worth a trial; it counts whole nodes, and includes the host's CPU and memory. A trial
then runs on a cluster with the changed settings and workloads, and the advice reports the bill of that trial.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

import yaml

from cli.simulate.rewrite import onto_pool, split
from gpuplatform.accept import check
from gpuplatform.analysis.placement.pod import PodAsk
from gpuplatform.analysis.sharing import Method, Need, Option, of_catalogue, of_stack, way_of
from gpuplatform.analysis.sharing.need import slots
from gpuplatform.plan.node_pools import PlannedNodePool, unit_resource
from gpuplatform.plan.prices import Prices
from gpuplatform.plan.teams import pools_of
from gpuplatform.render.document import Document, kind_of, name_of, namespace_of
from gpuplatform.settings.pools import Pool
from gpuplatform.settings.settings import Settings
from gpuplatform.standard import resources
from gpuplatform.standard.labels import Purpose
from gpuplatform.standard.markets import Market
from policies.pod import ask
from policies.subject import of_document
from policies.workloads import pod_templates
from sandbox.errors import SandboxError
from sandbox.simulate.owners import Workload
from sandbox.simulate.snapshot import Snapshot
from sandbox.simulate.utilization import NodeUse, landings, planned_by_name

WORTH = 0.05
"""The smallest saving, as a part of the bill, for which a change is tried."""
_TRIALS = 2
_MIB_PER_GIB = 1024


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A change to try."""

    says: str
    saves_usd_per_hour: float
    """As estimated."""
    settings: Settings
    workloads: tuple[Document, ...]


@dataclass(frozen=True, slots=True)
class Tried:
    """A suggestion that lowered the bill in its trial."""

    says: str
    usd_per_hour: float
    """The bill of the trial."""
    saves_usd_per_hour: float


@dataclass(frozen=True, slots=True)
class _Case:
    """The pods of a workload on one NodePool, and what one of them needs."""

    landing: NodeUse
    planned: PlannedNodePool
    need: Need
    usd_per_hour: float
    """The cost of the nodes that it has for itself, and its part of the others."""

    @property
    def slots(self) -> int:
        """Its pods on one of its nodes."""
        node = next(
            instance_type for instance_type in self.planned.types if instance_type.name == self.landing.instance_type
        )
        return slots(node, self.planned.units_per_card, self.need).count


def tried(
    candidates: Sequence[Suggestion], bill_usd_per_hour: float, ask_again: Callable[[Suggestion], Snapshot]
) -> tuple[Tried, ...]:
    """The suggestions with which every pod runs at a lower cost, the best first."""
    held: list[Tried] = []
    for suggestion in candidates[:_TRIALS]:
        try:
            scene = ask_again(suggestion)
        except SandboxError:
            continue  # a change that the API server refuses is not advice
        saves = bill_usd_per_hour - scene.usd_per_hour
        if scene.all_run and saves > 0:
            held.append(Tried(suggestion.says, scene.usd_per_hour, saves))
    return tuple(sorted(held, key=lambda trial: -trial.saves_usd_per_hour))


def suggestions(scene: Snapshot, settings: Settings, workloads: tuple[Document, ...]) -> tuple[Suggestion, ...]:
    """The changes that are worth a trial, the largest saving first."""
    candidates = [
        suggestion
        for case in _cases(scene, settings, workloads)
        for suggestion in (*_moves(case, scene, settings, workloads), *_other_nodes(case, scene, settings, workloads))
    ]
    worth = [suggestion for suggestion in candidates if suggestion.saves_usd_per_hour >= WORTH * scene.usd_per_hour]
    return tuple(sorted(worth, key=lambda suggestion: -suggestion.saves_usd_per_hour))


def _cases(scene: Snapshot, settings: Settings, workloads: Iterable[Document]) -> Iterator[_Case]:
    planned = planned_by_name(settings)
    tenants = {
        pod.node: {seen_pod.workload for seen_pod in scene.pods if seen_pod.node == pod.node} for pod in scene.pods
    }
    nodes = {node.name: node for node in scene.nodes}
    asks = {_workload(workload): asked for workload in workloads if (asked := _asked(workload)) is not None}
    for landing in landings(scene, settings):
        nodepool, asked = planned.get(landing.nodepool), asks.get(landing.workload)
        if nodepool is None or nodepool.replicas is not None or asked is None:
            continue
        node_names = {
            pod.node
            for pod in scene.pods
            if pod.workload == landing.workload and pod.node and nodes[pod.node].nodepool == landing.nodepool
        }
        usd_of_nodes_of_its_own = sum(
            nodes[node_name].usd_per_hour for node_name in node_names if tenants[node_name] == {landing.workload}
        )
        need = _need(asked, nodepool, landing.market)
        if need is not None:
            yield _Case(landing, nodepool, need, max(usd_of_nodes_of_its_own, landing.usd_per_hour))


def _asked(document: Document) -> PodAsk | None:
    return next(
        (asked for pod_template in pod_templates(of_document(document)) if (asked := ask(pod_template)) is not None),
        None,
    )


def _need(asked: PodAsk, nodepool: PlannedNodePool, market: str) -> Need | None:
    """What one pod needs: as much of a card as it has now."""
    units = dict(asked.devices).get(unit_resource(nodepool.pool), 0)
    way = way_of(nodepool.pool, nodepool.card)
    if units < 1 or (units > 1 and way.method is not Method.WHOLE):
        return None
    return Need(
        memory_gib=way.unit_memory_gb,
        isolation=way.method in (Method.WHOLE, Method.MIG),
        bursty=nodepool.pool.purpose is Purpose.DEV,
        cpu_millis=max(1, asked.cpu_millis),
        host_memory_gib=max(1, asked.memory_mib) / _MIB_PER_GIB,
        cards=units,
        interruptible=market == Market.SPOT,
    )


def _moves(case: _Case, scene: Snapshot, settings: Settings, workloads: tuple[Document, ...]) -> Iterator[Suggestion]:
    """Moves to another pool that the namespace may use: all pods, or only those that do not fill a node."""
    prices = Prices(settings.region, settings.cost)
    options = [
        option
        for option in of_stack(case.need, settings, prices)[0]
        if option.pool and option.pool.name != case.landing.pool and _may_use(case, option.pool, scene, settings)
    ]
    if not options:
        return
    pods, per_node = case.landing.pods, case.slots
    best = min(options, key=lambda option: _cost(option, pods))
    pool = cast(Pool, best.pool)
    moved = tuple(
        onto_pool(workload, pool) if _workload(workload) == case.landing.workload else workload
        for workload in workloads
    )
    yield Suggestion(
        f"move {case.landing.workload} to the pool {pool.name} ({best.way} on {best.node.name})",
        case.usd_per_hour - _cost(best, pods),
        settings,
        moved,
    )
    rest = pods % per_node if per_node else 0
    if not rest or pods < per_node or case.landing.workload.kind != "Deployment":
        return
    other = min(options, key=lambda option: _cost(option, rest))
    pool = cast(Pool, other.pool)
    yield Suggestion(
        f"split {case.landing.workload}: {pods - rest} on {case.landing.pool}, {rest} on {pool.name}"
        f" ({other.way} on {other.node.name})",
        case.usd_per_hour / case.landing.nodes - _cost(other, rest),
        settings,
        tuple(
            part
            for workload in workloads
            for part in (split(workload, rest, pool) if _workload(workload) == case.landing.workload else (workload,))
        ),
    )


def _other_nodes(
    case: _Case, scene: Snapshot, settings: Settings, workloads: tuple[Document, ...]
) -> Iterator[Suggestion]:
    """Another size or card for the pool, if the pool serves this workload only."""
    served = {landing.workload for landing in landings(scene, settings) if landing.pool == case.landing.pool}
    options = of_catalogue(case.need, Prices(settings.region, settings.cost))
    if len(served) > 1 or not options:
        return
    best = min(options, key=lambda option: _cost(option, case.landing.pods))
    changed = _with_pool_on(best, case, settings)
    if changed is None:
        return
    pool = next(pool for pool in changed.pools if pool.name == case.landing.pool)
    yield Suggestion(
        f"let the pool {pool.name} buy {best.node.name} ({best.card.name}, {best.way}): in settings, card"
        f" {best.card.name}, instance_types [{best.node.name}], sharing {best.way.setting}; quotas in"
        f" {unit_resource(pool)}",
        case.usd_per_hour - _cost(best, case.landing.pods),
        changed,
        tuple(
            onto_pool(workload, pool) if _workload(workload) == case.landing.workload else workload
            for workload in workloads
        ),
    )


def _with_pool_on(option: Option, case: _Case, settings: Settings) -> Settings | None:
    """The settings with the pool on another card or type; None if they would be refused."""
    raw: Any = settings.model_dump(mode="json", exclude_unset=True)
    pool = next(pool for pool in raw["pools"] if pool["name"] == case.landing.pool)
    cards = case.landing.nodes * max(instance_type.cards for instance_type in case.planned.types)
    ceiling = max(cards, -(-case.landing.pods // option.slots.count) * option.node.cards)
    pool["cards"] = [
        {
            "card": option.card.name,
            "instance_types": [option.node.name],
            "markets": [{"market": case.landing.market, "ceiling_cards": ceiling}],
        }
    ]
    if option.way.method is not Method.MIG:
        pool.pop("mig_bring_up", None)
    pool["sharing"] = yaml.safe_load(option.way.setting)
    for tenant in raw["tenants"]:
        for namespace in tenant["namespaces"]:
            if namespace["name"] == case.landing.workload.namespace:
                unit = resources.mig_resource(option.way.profile) if option.way.profile else resources.GPU
                quota = namespace["quota"]
                quota.pop(unit_resource(case.planned.pool), None)
                quota[unit] = quota.get(unit, 0) + case.landing.pods * case.need.cards
    return check(raw).settings


def _may_use(case: _Case, pool: Pool, scene: Snapshot, settings: Settings) -> bool:
    """Whether the namespace may run the pods on a pool and its quota has room."""
    name, resource = case.landing.workload.namespace, unit_resource(pool)
    namespace = next(
        (namespace for tenant in settings.tenants for namespace in tenant.namespaces if namespace.name == name), None
    )
    if namespace is None or pool not in pools_of(namespace, settings.pools):
        return False
    others = [pod for pod in scene.pods if pod.workload.namespace == name and pod.workload != case.landing.workload]
    taken = sum(other.requests.get(resource, 0) for other in others)
    return taken + case.landing.pods * case.need.cards <= namespace.quota.get(resource, 0)


def _cost(option: Option, pods: int) -> float:
    return math.ceil(pods / option.slots.count) * option.node_usd_per_hour


def _workload(of: Document) -> Workload:
    return Workload(kind_of(of), str(namespace_of(of) or "default"), name_of(of))
