"""What would lower the bill most: another pool, a split, another size, another card; each tried before it is said.

An estimate finds what is worth a try, by whole nodes, the host's CPU and memory included; the bill that is said is
that of the trial, on a cluster whose settings and workloads are changed as the advice says.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

import yaml

from cli.simulate.rewrite import onto_pool, split
from gpuplatform.accept import check
from gpuplatform.proofs.capture.pod import PodAsk
from gpuplatform.proofs.share import Method, Need, Option, of_catalogue, of_stack, way_of
from gpuplatform.proofs.share.slots import slots
from gpuplatform.render.document import Document, kind_of, name_of, namespace_of
from gpuplatform.settings.plan import PlannedNodePool, unit_resource
from gpuplatform.settings.pools import Pool
from gpuplatform.settings.prices import Prices
from gpuplatform.settings.settings import Settings
from gpuplatform.settings.teams import pools_of
from gpuplatform.standard import resources
from gpuplatform.standard.labels import Purpose
from gpuplatform.standard.markets import Market
from policies.pod import ask
from policies.subject import of_document
from policies.workloads import pod_templates
from sandbox.errors import SandboxError
from sandbox.simulate.owners import Workload
from sandbox.simulate.scene import Scene
from sandbox.simulate.use import Landing, landings, planned_by_name

WORTH = 0.05
"""The part of the bill that advice must save to be tried."""
_TRIALS = 2
_MIB_PER_GIB = 1024


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Something to try."""

    says: str
    saves_usd_per_hour: float
    """As estimated."""
    settings: Settings
    workloads: tuple[Document, ...]


@dataclass(frozen=True, slots=True)
class Tried:
    """A suggestion that was tried, and held what it promised."""

    says: str
    usd_per_hour: float
    """The bill of the trial."""
    saves_usd_per_hour: float


@dataclass(frozen=True, slots=True)
class _Case:
    """The pods of a workload on one NodePool, and what one of them needs."""

    landing: Landing
    planned: PlannedNodePool
    need: Need
    usd_per_hour: float
    """Of the nodes that it alone is on, and its part of the others."""

    @property
    def slots(self) -> int:
        """Its pods on one of its nodes."""
        node = next(each for each in self.planned.types if each.name == self.landing.instance_type)
        return slots(node, self.planned.units_per_card, self.need).count


def tried(
    found: Sequence[Suggestion], bill_usd_per_hour: float, ask_again: Callable[[Suggestion], Scene]
) -> tuple[Tried, ...]:
    """The suggestions under which everything runs for less, the best first."""
    held: list[Tried] = []
    for each in found[:_TRIALS]:
        try:
            scene = ask_again(each)
        except SandboxError:
            continue  # what the API server refuses is no advice
        saves = bill_usd_per_hour - scene.usd_per_hour
        if scene.all_run and saves > 0:
            held.append(Tried(each.says, scene.usd_per_hour, saves))
    return tuple(sorted(held, key=lambda each: -each.saves_usd_per_hour))


def suggestions(scene: Scene, settings: Settings, workloads: tuple[Document, ...]) -> tuple[Suggestion, ...]:
    """What is worth a try, the largest saving first."""
    found = [
        each
        for case in _cases(scene, settings, workloads)
        for each in (*_moves(case, scene, settings, workloads), *_other_nodes(case, scene, settings, workloads))
    ]
    worth = [each for each in found if each.saves_usd_per_hour >= WORTH * scene.usd_per_hour]
    return tuple(sorted(worth, key=lambda each: -each.saves_usd_per_hour))


def _cases(scene: Scene, settings: Settings, workloads: Iterable[Document]) -> Iterator[_Case]:
    planned = planned_by_name(settings)
    tenants = {pod.node: {each.workload for each in scene.pods if each.node == pod.node} for pod in scene.pods}
    nodes = {each.name: each for each in scene.nodes}
    asks = {_workload(each): asked for each in workloads if (asked := _asked(each)) is not None}
    for landing in landings(scene, settings):
        nodepool, asked = planned.get(landing.nodepool), asks.get(landing.workload)
        if nodepool is None or nodepool.replicas is not None or asked is None:
            continue
        own = {
            pod.node
            for pod in scene.pods
            if pod.workload == landing.workload and pod.node and nodes[pod.node].nodepool == landing.nodepool
        }
        alone = sum(nodes[each].usd_per_hour for each in own if tenants[each] == {landing.workload})
        need = _need(asked, nodepool, landing.market)
        if need is not None:
            yield _Case(landing, nodepool, need, max(alone, landing.usd_per_hour))


def _asked(document: Document) -> PodAsk | None:
    return next((asked for each in pod_templates(of_document(document)) if (asked := ask(each)) is not None), None)


def _need(asked: PodAsk, nodepool: PlannedNodePool, market: str) -> Need | None:
    """What one pod needs, taken for as much of a card as it has now."""
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


def _moves(case: _Case, scene: Scene, settings: Settings, workloads: tuple[Document, ...]) -> Iterator[Suggestion]:
    """Onto another pool that the namespace may use: all the pods, or those that fill no node of their own."""
    prices = Prices(settings.region, settings.cost)
    options = [
        each
        for each in of_stack(case.need, settings, prices)[0]
        if each.pool and each.pool.name != case.landing.pool and _may_use(case, each.pool, scene, settings)
    ]
    if not options:
        return
    pods, per_node = case.landing.pods, case.slots
    best = min(options, key=lambda each: _cost(each, pods))
    pool = cast(Pool, best.pool)
    moved = tuple(onto_pool(each, pool) if _workload(each) == case.landing.workload else each for each in workloads)
    yield Suggestion(
        f"move {case.landing.workload} to the pool {pool.name} ({best.way} on {best.node.name})",
        case.usd_per_hour - _cost(best, pods),
        settings,
        moved,
    )
    rest = pods % per_node if per_node else 0
    if not rest or pods < per_node or case.landing.workload.kind != "Deployment":
        return
    other = min(options, key=lambda each: _cost(each, rest))
    pool = cast(Pool, other.pool)
    yield Suggestion(
        f"split {case.landing.workload}: {pods - rest} on {case.landing.pool}, {rest} on {pool.name}"
        f" ({other.way} on {other.node.name})",
        case.usd_per_hour / case.landing.nodes - _cost(other, rest),
        settings,
        tuple(
            part
            for each in workloads
            for part in (split(each, rest, pool) if _workload(each) == case.landing.workload else (each,))
        ),
    )


def _other_nodes(
    case: _Case, scene: Scene, settings: Settings, workloads: tuple[Document, ...]
) -> Iterator[Suggestion]:
    """Another size or another card in the place of the pool's own, where the pool serves this workload alone."""
    served = {each.workload for each in landings(scene, settings) if each.pool == case.landing.pool}
    options = of_catalogue(case.need, Prices(settings.region, settings.cost))
    if len(served) > 1 or not options:
        return
    best = min(options, key=lambda each: _cost(each, case.landing.pods))
    changed = _with_pool_on(best, case, settings)
    if changed is None:
        return
    pool = next(each for each in changed.pools if each.name == case.landing.pool)
    yield Suggestion(
        f"let the pool {pool.name} buy {best.node.name} ({best.card.name}, {best.way}): in settings, card"
        f" {best.card.name}, instance_types [{best.node.name}], sharing {best.way.setting}; quotas in"
        f" {unit_resource(pool)}",
        case.usd_per_hour - _cost(best, case.landing.pods),
        changed,
        tuple(onto_pool(each, pool) if _workload(each) == case.landing.workload else each for each in workloads),
    )


def _with_pool_on(option: Option, case: _Case, settings: Settings) -> Settings | None:
    """The settings with the pool on another card or type alone; None where they would be refused."""
    raw: Any = settings.model_dump(mode="json", exclude_unset=True)
    pool = next(each for each in raw["pools"] if each["name"] == case.landing.pool)
    cards = case.landing.nodes * max(each.cards for each in case.planned.types)
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


def _may_use(case: _Case, pool: Pool, scene: Scene, settings: Settings) -> bool:
    """Whether the namespace may have the pods on a pool: it is meant for it, and its quota leaves room."""
    name, resource = case.landing.workload.namespace, unit_resource(pool)
    namespace = next((each for tenant in settings.tenants for each in tenant.namespaces if each.name == name), None)
    if namespace is None or pool not in pools_of(namespace, settings.pools):
        return False
    others = [each for each in scene.pods if each.workload.namespace == name and each.workload != case.landing.workload]
    taken = sum(each.requests.get(resource, 0) for each in others)
    return taken + case.landing.pods * case.need.cards <= namespace.quota.get(resource, 0)


def _cost(option: Option, pods: int) -> float:
    return math.ceil(pods / option.slots.count) * option.node_usd_per_hour


def _workload(of: Document) -> Workload:
    return Workload(kind_of(of), str(namespace_of(of) or "default"), name_of(of))
