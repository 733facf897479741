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
from gpuplatform.analysis.sharing import Method, Need, Option, of_catalog, of_stack, way_of
from gpuplatform.analysis.sharing.need import slots
from gpuplatform.plan.node_pools import PlannedNodePool, unit_resource
from gpuplatform.plan.prices import Prices
from gpuplatform.plan.teams import pools_of
from gpuplatform.render.document import Document
from gpuplatform.settings.pools import Pool
from gpuplatform.settings.settings import Settings
from gpuplatform.standard import resources
from gpuplatform.standard.labels import Purpose
from gpuplatform.standard.markets import Market
from policies.pod import ask
from policies.subject import of_document
from policies.workloads import pod_templates
from sandbox.errors import SandboxError
from sandbox.simulate.owners import Workload, workload_of
from sandbox.simulate.snapshot import Snapshot
from sandbox.simulate.utilization import NodeUse, landings, node_pools_by_name

LEAST_SAVING = 0.05
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
class Trial:
    """A suggestion that lowered the bill in its trial."""

    says: str
    usd_per_hour: float
    """The bill of the trial."""
    saves_usd_per_hour: float


@dataclass(frozen=True, slots=True)
class _Case:
    """The pods of a workload on one NodePool, and what one of them needs."""

    landing: NodeUse
    node_pool: PlannedNodePool
    need: Need
    usd_per_hour: float
    """The cost of the nodes that it has for itself, and its part of the others."""

    @property
    def slots(self) -> int:
        """Its pods on one of its nodes."""
        node = next(
            instance_type for instance_type in self.node_pool.types if instance_type.name == self.landing.instance_type
        )
        return slots(node, self.node_pool.units_per_card, self.need).count


def trials(
    candidates: Sequence[Suggestion], bill_usd_per_hour: float, simulate: Callable[[Suggestion], Snapshot]
) -> tuple[Trial, ...]:
    """The suggestions with which every pod runs at a lower cost, the best first."""
    successes: list[Trial] = []
    for suggestion in candidates[:_TRIALS]:
        try:
            snapshot = simulate(suggestion)
        except SandboxError:
            continue  # a change that the API server refuses is not advice
        saving = bill_usd_per_hour - snapshot.usd_per_hour
        if snapshot.all_run and saving > 0:
            successes.append(Trial(suggestion.says, snapshot.usd_per_hour, saving))
    return tuple(sorted(successes, key=lambda trial: -trial.saves_usd_per_hour))


def suggestions(snapshot: Snapshot, settings: Settings, workloads: tuple[Document, ...]) -> tuple[Suggestion, ...]:
    """The changes that are worth a trial, the largest saving first."""
    candidates = [
        suggestion
        for case in _cases(snapshot, settings, workloads)
        for suggestion in (
            *_moves(case, snapshot, settings, workloads),
            *_other_nodes(case, snapshot, settings, workloads),
        )
    ]
    least_saving = LEAST_SAVING * snapshot.usd_per_hour
    suggestions_to_try = [suggestion for suggestion in candidates if suggestion.saves_usd_per_hour >= least_saving]
    return tuple(sorted(suggestions_to_try, key=lambda suggestion: -suggestion.saves_usd_per_hour))


def _cases(snapshot: Snapshot, settings: Settings, workloads: Iterable[Document]) -> Iterator[_Case]:
    node_pools = node_pools_by_name(settings)
    workloads_by_node: dict[str | None, set[Workload]] = {}
    for pod in snapshot.pods:
        workloads_by_node.setdefault(pod.node, set()).add(pod.workload)
    nodes = {node.name: node for node in snapshot.nodes}
    asks = {workload_of(workload): pod_ask for workload in workloads if (pod_ask := _pod_ask(workload)) is not None}
    for landing in landings(snapshot, settings):
        node_pool, pod_ask = node_pools.get(landing.nodepool), asks.get(landing.workload)
        if node_pool is None or node_pool.replicas is not None or pod_ask is None:
            continue
        node_names = {
            pod.node
            for pod in snapshot.pods
            if pod.workload == landing.workload and pod.node and nodes[pod.node].nodepool == landing.nodepool
        }
        usd_of_nodes_of_its_own = sum(
            nodes[node_name].usd_per_hour
            for node_name in node_names
            if workloads_by_node[node_name] == {landing.workload}
        )
        need = _need(pod_ask, node_pool, landing.market)
        if need is not None:
            yield _Case(landing, node_pool, need, max(usd_of_nodes_of_its_own, landing.usd_per_hour))


def _pod_ask(document: Document) -> PodAsk | None:
    return next(
        (
            pod_ask
            for pod_template in pod_templates(of_document(document))
            if (pod_ask := ask(pod_template)) is not None
        ),
        None,
    )


def _need(pod_ask: PodAsk, node_pool: PlannedNodePool, market: str) -> Need | None:
    """What one pod needs: as much of a card as it has now."""
    units = dict(pod_ask.devices).get(unit_resource(node_pool.pool), 0)
    way = way_of(node_pool.pool, node_pool.card)
    if units < 1 or (units > 1 and way.method is not Method.WHOLE):
        return None
    return Need(
        memory_gib=way.unit_memory_gb,
        isolation=way.method in (Method.WHOLE, Method.MIG),
        bursty=node_pool.pool.purpose is Purpose.DEV,
        cpu_millis=max(1, pod_ask.cpu_millis),
        host_memory_gib=max(1, pod_ask.memory_mib) / _MIB_PER_GIB,
        cards=units,
        interruptible=market == Market.SPOT,
    )


def _moves(
    case: _Case, snapshot: Snapshot, settings: Settings, workloads: tuple[Document, ...]
) -> Iterator[Suggestion]:
    """Moves to another pool that the namespace may use: all pods, or only those that do not fill a node."""
    prices = Prices(settings.region, settings.cost)
    options = [
        option
        for option in of_stack(case.need, settings, prices)[0]
        if option.pool and option.pool.name != case.landing.pool and _may_use(case, option.pool, snapshot, settings)
    ]
    if not options:
        return
    pods, per_node = case.landing.pods, case.slots
    best = min(options, key=lambda option: _cost(option, pods))
    pool = cast(Pool, best.pool)
    new_workloads = tuple(
        onto_pool(workload, pool) if workload_of(workload) == case.landing.workload else workload
        for workload in workloads
    )
    yield Suggestion(
        f"move {case.landing.workload} to the pool {pool.name} ({best.way} on {best.node.name})",
        case.usd_per_hour - _cost(best, pods),
        settings,
        new_workloads,
    )
    remainder = pods % per_node if per_node else 0
    if not remainder or pods < per_node or case.landing.workload.kind != "Deployment":
        return
    option_for_remainder = min(options, key=lambda option: _cost(option, remainder))
    pool = cast(Pool, option_for_remainder.pool)
    yield Suggestion(
        f"split {case.landing.workload}: {pods - remainder} on {case.landing.pool}, {remainder} on {pool.name}"
        f" ({option_for_remainder.way} on {option_for_remainder.node.name})",
        case.usd_per_hour / case.landing.nodes - _cost(option_for_remainder, remainder),
        settings,
        tuple(
            part
            for workload in workloads
            for part in (
                split(workload, remainder, pool) if workload_of(workload) == case.landing.workload else (workload,)
            )
        ),
    )


def _other_nodes(
    case: _Case, snapshot: Snapshot, settings: Settings, workloads: tuple[Document, ...]
) -> Iterator[Suggestion]:
    """Another size or card for the pool, if the pool serves this workload only."""
    workloads_on_pool = {
        landing.workload for landing in landings(snapshot, settings) if landing.pool == case.landing.pool
    }
    options = of_catalog(case.need, Prices(settings.region, settings.cost))
    if len(workloads_on_pool) > 1 or not options:
        return
    best = min(options, key=lambda option: _cost(option, case.landing.pods))
    new_settings = _with_pool_on(best, case, settings)
    if new_settings is None:
        return
    pool = next(pool for pool in new_settings.pools if pool.name == case.landing.pool)
    yield Suggestion(
        f"let the pool {pool.name} buy {best.node.name} ({best.card.name}, {best.way}): in settings, card"
        f" {best.card.name}, instance_types [{best.node.name}], sharing {best.way.setting}; quotas in"
        f" {unit_resource(pool)}",
        case.usd_per_hour - _cost(best, case.landing.pods),
        new_settings,
        tuple(
            onto_pool(workload, pool) if workload_of(workload) == case.landing.workload else workload
            for workload in workloads
        ),
    )


def _with_pool_on(option: Option, case: _Case, settings: Settings) -> Settings | None:
    """The settings with the pool on another card or type; None if they would be refused."""
    raw: Any = settings.model_dump(mode="json", exclude_unset=True)
    pool = next(pool for pool in raw["pools"] if pool["name"] == case.landing.pool)
    cards = case.landing.nodes * max(instance_type.cards for instance_type in case.node_pool.types)
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
                quota.pop(unit_resource(case.node_pool.pool), None)
                quota[unit] = quota.get(unit, 0) + case.landing.pods * case.need.cards
    return check(raw).settings


def _may_use(case: _Case, pool: Pool, snapshot: Snapshot, settings: Settings) -> bool:
    """Whether the namespace may run the pods on a pool and its quota has room."""
    name, resource = case.landing.workload.namespace, unit_resource(pool)
    namespace = next(
        (namespace for tenant in settings.tenants for namespace in tenant.namespaces if namespace.name == name), None
    )
    if namespace is None or pool not in pools_of(namespace, settings.pools):
        return False
    other_pods = [
        pod for pod in snapshot.pods if pod.workload.namespace == name and pod.workload != case.landing.workload
    ]
    units_in_use = sum(pod.requests.get(resource, 0) for pod in other_pods)
    return units_in_use + case.landing.pods * case.need.cards <= namespace.quota.get(resource, 0)


def _cost(option: Option, pods: int) -> float:
    return math.ceil(pods / option.slots.count) * option.node_usd_per_hour
