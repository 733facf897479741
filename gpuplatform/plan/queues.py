"""How a team's quotas are divided over flavors of nodes.

Kueue counts a resource by flavor: by its card, its market and the way in which the card is cut. A namespace's quota of
a resource is divided over the flavors of its pools in proportion to their ceilings, and in whole nodes where pods use
several cards. If the capacity analysis accepts the quotas, no flavor is guaranteed beyond its ceiling and the parts sum
to the quota, because both use the same flow.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from gpuplatform.plan.division import Destination, apportion, in_whole_nodes
from gpuplatform.plan.max_flow import Demand, Parts, divided
from gpuplatform.plan.node_pools import PlannedNodePool, mig_profile, plan, shares_per_card, unit_resource
from gpuplatform.plan.teams import pools_of, queued
from gpuplatform.settings.partial import PartialSettings, of_settings
from gpuplatform.settings.pools import Pool
from gpuplatform.settings.settings import Queues, Settings
from gpuplatform.settings.tenants import Tenant
from gpuplatform.standard import names
from gpuplatform.standard.labels import Role


@dataclass(frozen=True, slots=True)
class Flavor:
    """One source of a resource: a pool's card, bought on one market."""

    name: str
    resource: str
    planned: PlannedNodePool
    """One of its NodePools. A static pool has one NodePool for each zone, which differ only by zone."""
    units: int
    """The most of the resource on its nodes."""

    @property
    def node_units(self) -> int:
        """Whole cards of its smallest node; 1 where cards are cut or shared, as a pod requests one part."""
        cut = mig_profile(self.planned.pool) is not None or shares_per_card(self.planned.pool) is not None
        return 1 if cut else max(1, min(instance_type.cards for instance_type in self.planned.types))

    @property
    def has_topology(self) -> bool:
        """Whether Kueue places jobs by the topology of its nodes, which exist before a job does and are for workers.

        A chief is one pod, and a flavor with a topology accepts no pod that does not request one.
        """
        return self.planned.replicas is not None and self.planned.pool.role is Role.WORKER


@dataclass(frozen=True, slots=True)
class Share:
    """One team's quota on one flavor, in units of the flavor's resource."""

    flavor: Flavor
    nominal: int
    borrow: int
    keep: int


@dataclass(frozen=True, slots=True)
class TeamQueue:
    """A team with queued namespaces, and its share of every flavor that it may use."""

    tenant: Tenant
    shares: tuple[Share, ...]
    """In the pools' own order of preference."""


@dataclass(frozen=True, slots=True)
class QueuePlan:
    """Every queue of a stack, and the units of the flavors that no quota covers."""

    flavors: tuple[Flavor, ...]
    """The flavors that some queue may use."""
    teams: tuple[TeamQueue, ...]
    spare: tuple[tuple[Flavor, int], ...]
    """Units of each flavor that no namespace, queued or serving, is guaranteed: every team may borrow them."""


@lru_cache(maxsize=16)
def flavors(pools: tuple[Pool, ...], zones: tuple[str, ...]) -> tuple[Flavor, ...]:
    """One flavor for each pool, card and market, in order of preference."""
    by_name: dict[str, Flavor] = {}
    for node_pool in plan(pools, zones):
        if node_pool.pool.dra:
            continue  # claimed, not counted
        name = names.nodepool(node_pool.pool.name, node_pool.card.name, node_pool.market.market)
        units = node_pool.ceiling_cards * node_pool.units_per_card
        before = by_name.get(name, Flavor(name, unit_resource(node_pool.pool), node_pool, 0))
        by_name[name] = replace(before, units=before.units + units)
    return tuple(by_name.values())


def queue_plan(settings: Settings) -> QueuePlan:
    """The queues of a stack; empty where no namespace is queued."""
    return queue_plan_of(of_settings(settings))


def queue_plan_of(settings: PartialSettings) -> QueuePlan:
    """The queues of partial settings, which may still be refused."""
    stack_flavors = flavors(settings.pools, settings.zones)
    usable = {
        (tenant.name, flavor.name)
        for tenant in settings.tenants
        for flavor in _of_team(settings, tenant, stack_flavors)
    }
    nominal = _nominal(settings, stack_flavors)
    teams = tuple(
        TeamQueue(
            tenant,
            _shares(tenant, [flavor for flavor in stack_flavors if (tenant.name, flavor.name) in usable], nominal),
        )
        for tenant in settings.tenants
        if queued(tenant)
    )
    in_use = tuple(flavor for flavor in stack_flavors if any(name == flavor.name for _, name in usable))
    promised = {flavor.name: sum(amounts.get(flavor.name, 0) for amounts in nominal.values()) for flavor in in_use}
    spare = tuple((flavor, max(0, flavor.units - promised[flavor.name])) for flavor in in_use)
    return QueuePlan(in_use, teams, spare)


def _of_team(settings: PartialSettings, tenant: Tenant, candidates: Iterable[Flavor]) -> list[Flavor]:
    meant = {pool.name for namespace in queued(tenant) for pool in pools_of(namespace, settings.pools)}
    resources = {name for namespace in queued(tenant) for name in namespace.quota} | set(tenant.queue.borrow)
    return [flavor for flavor in candidates if flavor.planned.pool.name in meant and flavor.resource in resources]


def _nominal(settings: PartialSettings, stack_flavors: Sequence[Flavor]) -> dict[tuple[str, bool], Parts]:
    """Guaranteed units of each flavor, by tenant and whether its namespaces are queued.

    Namespaces that may use the fewest flavors are served first.
    """
    queues = settings.queues or Queues()
    room = {flavor.name: queues.guaranteeable(flavor.units) for flavor in stack_flavors}
    claims = sorted(
        (
            (tenant.name, namespace in queued(tenant), amount, usable)
            for tenant in settings.tenants
            for namespace in tenant.namespaces
            for meant in [pools_of(namespace, settings.pools)]
            for resource, amount in namespace.quota.items()
            if (
                usable := [
                    flavor for flavor in stack_flavors if flavor.resource == resource and flavor.planned.pool in meant
                ]
            )
        ),
        key=lambda claim: len(claim[3]),
    )
    free, first = dict(room), list[Parts]()
    for _, is_queued, amount, usable in claims:
        parts = in_whole_nodes(amount, _places(usable, free, is_queued=is_queued))
        free |= {name: free[name] - part for name, part in parts.items()}
        first.append(parts)
    demands = [Demand(amount, tuple(flavor.name for flavor in usable)) for _, _, amount, usable in claims]
    nominal: dict[tuple[str, bool], Parts] = {}
    for (tenant, is_queued, _, _), parts in zip(claims, divided(demands, room, first), strict=True):
        guaranteed = nominal.setdefault((tenant, is_queued), {})
        for name, part in parts.items():
            guaranteed[name] = guaranteed.get(name, 0) + part
    return nominal


def _places(usable: Iterable[Flavor], free: Mapping[str, int], *, is_queued: bool) -> list[Destination]:
    """The flavors as destinations. Whole nodes matter only to a queue: a serving quota is not divided over flavors."""
    return [Destination(flavor.name, free[flavor.name], flavor.node_units if is_queued else 1) for flavor in usable]


def _shares(tenant: Tenant, usable: Sequence[Flavor], nominal: Mapping[tuple[str, bool], Parts]) -> tuple[Share, ...]:
    guaranteed = nominal.get((tenant.name, True), {})
    borrow: dict[str, int] = {}
    keep: dict[str, int] = {}
    for resource in {flavor.resource for flavor in usable}:
        alike = [flavor for flavor in usable if flavor.resource == resource]
        borrow |= _borrowed(tenant.queue.borrow.get(resource, 0), alike, guaranteed)
        keep |= apportion(
            tenant.queue.keep.get(resource, 0), {flavor.name: guaranteed.get(flavor.name, 0) for flavor in alike}
        )
    return tuple(
        Share(flavor, guaranteed.get(flavor.name, 0), borrow[flavor.name], keep[flavor.name]) for flavor in usable
    )


def _borrowed(amount: int, alike: Sequence[Flavor], guaranteed: Mapping[str, int]) -> Parts:
    """What the team may borrow of each flavor: at most the units that it does not hold, if possible in whole nodes."""
    free = {flavor.name: max(0, flavor.units - guaranteed.get(flavor.name, 0)) for flavor in alike}
    first = in_whole_nodes(amount, _places(alike, free, is_queued=True))
    (parts,) = divided([Demand(amount, tuple(free))], free, [first])
    # With an over-commit ratio above one, a team may hold more of a flavor than exists: the flavors may not suffice.
    beyond = apportion(amount - sum(parts.values()), {flavor.name: flavor.units for flavor in alike})
    return {name: parts.get(name, 0) + beyond[name] for name in free}
