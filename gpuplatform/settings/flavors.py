"""Which of its quotas a team holds on which nodes: one number of the settings, divided once (Q6, B14).

Kueue counts a resource by flavor: by the card, market and cut that it is bought as. What a namespace is guaranteed of a
resource is spread over the flavors of its pools, by how much each of them can have and in whole nodes where pods are of
several cards. No flavor is promised beyond its ceiling and the parts sum to the quota, wherever the proof of capacity
accepts the quotas: both ask the same flow.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from gpuplatform.flow import Parts, Wish, divided
from gpuplatform.settings.division import Place, apportion, in_whole_nodes
from gpuplatform.settings.draft import Draft, of_settings
from gpuplatform.settings.plan import PlannedNodePool, mig_profile, plan, shares_per_card, unit_resource
from gpuplatform.settings.pools import Pool
from gpuplatform.settings.queues import Queues
from gpuplatform.settings.settings import Settings
from gpuplatform.settings.teams import pools_of, queued
from gpuplatform.settings.tenants import Tenant
from gpuplatform.standard import names
from gpuplatform.standard.labels import Role


@dataclass(frozen=True, slots=True)
class Flavor:
    """One way to have a resource: a pool's card, bought on one market."""

    name: str
    resource: str
    planned: PlannedNodePool
    """Any one of its NodePools: a static pool has one for each zone, alike but for that."""
    units: int
    """The most of the resource on its nodes."""

    @property
    def node_units(self) -> int:
        """What its smallest node has of whole cards; 1 where cards are cut or shared, as a pod asks for one part."""
        cut = mig_profile(self.planned.pool) is not None or shares_per_card(self.planned.pool) is not None
        return 1 if cut else max(1, min(each.cards for each in self.planned.types))

    @property
    def has_topology(self) -> bool:
        """Whether jobs are laid out over its nodes: they exist before a job does, and are for workers.

        A chief is one pod, and a flavor with a topology takes no pod that does not ask for one.
        """
        return self.planned.replicas is not None and self.planned.pool.role is Role.WORKER


@dataclass(frozen=True, slots=True)
class Share:
    """What one team holds on one flavor, in units of the flavor's resource."""

    flavor: Flavor
    nominal: int
    borrow: int
    keep: int


@dataclass(frozen=True, slots=True)
class TeamQueue:
    """A team with queued namespaces, and its part of every flavor that it may use."""

    tenant: Tenant
    shares: tuple[Share, ...]
    """In the pools' own order of preference."""


@dataclass(frozen=True, slots=True)
class QueuePlan:
    """Every queue of a stack, and what is left of the flavors."""

    flavors: tuple[Flavor, ...]
    """Those that some queue may use."""
    teams: tuple[TeamQueue, ...]
    spare: tuple[tuple[Flavor, int], ...]
    """What no namespace, queued or serving, is guaranteed: anybody's to borrow."""


def flavors(pools: Iterable[Pool], zones: Sequence[str]) -> tuple[Flavor, ...]:
    """One for each pool, card and market, in order of preference."""
    found: dict[str, Flavor] = {}
    for each in plan(pools, zones):
        if each.pool.dra:
            continue  # claimed, not counted
        name = names.nodepool(each.pool.name, each.card.name, each.market.market)
        units = each.ceiling_cards * each.units_per_card
        before = found.get(name, Flavor(name, unit_resource(each.pool), each, 0))
        found[name] = replace(before, units=before.units + units)
    return tuple(found.values())


def queue_plan(settings: Settings) -> QueuePlan:
    """The whole division; empty where no namespace is queued."""
    return queue_plan_of(of_settings(settings))


def queue_plan_of(draft: Draft) -> QueuePlan:
    """The same of settings that may yet be refused."""
    known = flavors(draft.pools, draft.zones)
    usable = {(tenant.name, flavor.name) for tenant in draft.tenants for flavor in _of_team(draft, tenant, known)}
    nominal = _nominal(draft, known)
    teams = tuple(
        TeamQueue(tenant, _shares(tenant, [each for each in known if (tenant.name, each.name) in usable], nominal))
        for tenant in draft.tenants
        if queued(tenant)
    )
    in_use = tuple(each for each in known if any(name == each.name for _, name in usable))
    promised = {each.name: sum(amounts.get(each.name, 0) for amounts in nominal.values()) for each in in_use}
    return QueuePlan(in_use, teams, tuple((each, max(0, each.units - promised[each.name])) for each in in_use))


def _of_team(draft: Draft, tenant: Tenant, known: Iterable[Flavor]) -> list[Flavor]:
    meant = {pool.name for namespace in queued(tenant) for pool in pools_of(namespace, draft.pools)}
    resources = {name for namespace in queued(tenant) for name in namespace.quota} | set(tenant.queue.borrow)
    return [each for each in known if each.planned.pool.name in meant and each.resource in resources]


def _nominal(draft: Draft, known: Sequence[Flavor]) -> dict[tuple[str, bool], Parts]:
    """By tenant and whether it is queued: units of each flavor. The least choosy namespaces are served last."""
    queues = draft.queues or Queues()
    room = {each.name: queues.guaranteeable(each.units) for each in known}
    claims = sorted(
        (
            (tenant.name, namespace in queued(tenant), amount, own)
            for tenant in draft.tenants
            for namespace in tenant.namespaces
            for meant in [pools_of(namespace, draft.pools)]
            for resource, amount in namespace.quota.items()
            if (own := [each for each in known if each.resource == resource and each.planned.pool in meant])
        ),
        key=lambda claim: len(claim[3]),
    )
    left, first = dict(room), list[Parts]()
    for _, is_queued, amount, own in claims:
        parts = in_whole_nodes(amount, _places(own, left, is_queued=is_queued))
        left |= {name: left[name] - part for name, part in parts.items()}
        first.append(parts)
    wishes = [Wish(amount, tuple(each.name for each in own)) for _, _, amount, own in claims]
    found: dict[tuple[str, bool], Parts] = {}
    for (tenant, is_queued, _, _), parts in zip(claims, divided(wishes, room, first), strict=True):
        held = found.setdefault((tenant, is_queued), {})
        for name, part in parts.items():
            held[name] = held.get(name, 0) + part
    return found


def _places(own: Iterable[Flavor], free: Mapping[str, int], *, is_queued: bool) -> list[Place]:
    """Only a queue tells its parts apart: what serves is counted as a whole."""
    return [Place(each.name, free[each.name], each.node_units if is_queued else 1) for each in own]


def _shares(tenant: Tenant, own: Sequence[Flavor], nominal: Mapping[tuple[str, bool], Parts]) -> tuple[Share, ...]:
    held = nominal.get((tenant.name, True), {})
    borrow: dict[str, int] = {}
    keep: dict[str, int] = {}
    for resource in {each.resource for each in own}:
        alike = [each for each in own if each.resource == resource]
        borrow |= _borrowed(tenant.queue.borrow.get(resource, 0), alike, held)
        keep |= apportion(tenant.queue.keep.get(resource, 0), {each.name: held.get(each.name, 0) for each in alike})
    return tuple(Share(each, held.get(each.name, 0), borrow[each.name], keep[each.name]) for each in own)


def _borrowed(amount: int, alike: Sequence[Flavor], held: Mapping[str, int]) -> Parts:
    """On each flavor as much as there is beside what the team holds, in whole nodes where that is possible."""
    free = {each.name: max(0, each.units - held.get(each.name, 0)) for each in alike}
    first = in_whole_nodes(amount, _places(alike, free, is_queued=True))
    (parts,) = divided([Wish(amount, tuple(free))], free, [first])
    # A ratio above one may leave the team more of a flavor than there is of it, and less beside.
    beyond = apportion(amount - sum(parts.values()), {each.name: each.units for each in alike})
    return {name: parts.get(name, 0) + beyond[name] for name in free}
