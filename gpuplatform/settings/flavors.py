"""Which of its quotas a team holds on which nodes: one number of the settings, divided once (Q6, B14).

Kueue counts a resource by flavor: by the card, market and cut that it is bought as. What a namespace is guaranteed of a
resource is spread over the flavors of its pools, by how much each of them can have, so that no flavor is promised
beyond its ceiling and the parts sum to the quota.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from gpuplatform.settings.plan import PlannedNodePool, plan, unit_resource
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


def flavors(settings: Settings) -> tuple[Flavor, ...]:
    """One for each pool, card and market, in order of preference."""
    found: dict[str, Flavor] = {}
    for each in plan(settings.pools, settings.network.zones):
        if each.pool.dra:
            continue  # claimed, not counted
        name = names.nodepool(each.pool.name, each.card.name, each.market.market)
        units = each.ceiling_cards * each.units_per_card
        before = found.get(name, Flavor(name, unit_resource(each.pool), each, 0))
        found[name] = replace(before, units=before.units + units)
    return tuple(found.values())


def queue_plan(settings: Settings) -> QueuePlan:
    """The whole division; empty where no namespace is queued."""
    known = flavors(settings)
    usable = {(tenant.name, flavor.name) for tenant in settings.tenants for flavor in _of_team(settings, tenant, known)}
    nominal = _nominal(settings, known)
    teams = tuple(
        TeamQueue(tenant, _shares(tenant, [each for each in known if (tenant.name, each.name) in usable], nominal))
        for tenant in settings.tenants
        if queued(tenant)
    )
    in_use = tuple(each for each in known if any(name == each.name for _, name in usable))
    promised = {each.name: sum(amounts.get(each.name, 0) for amounts in nominal.values()) for each in in_use}
    return QueuePlan(in_use, teams, tuple((each, max(0, each.units - promised[each.name])) for each in in_use))


def apportion(amount: int, weights: Mapping[str, int]) -> dict[str, int]:
    """Whole parts of an amount, in proportion to the weights; the largest remainders take what is left.

    The parts sum to the amount wherever some weight is not zero, and no part exceeds its weight while the amount is
    at most their sum.
    """
    total = sum(weights.values())
    if not total:
        return dict.fromkeys(weights, 0)
    parts = {name: amount * weight // total for name, weight in weights.items()}
    by_remainder = sorted(weights, key=lambda name: -(amount * weights[name] % total))
    for name in by_remainder[: amount - sum(parts.values())]:
        parts[name] += 1
    return parts


def _of_team(settings: Settings, tenant: Tenant, known: Iterable[Flavor]) -> list[Flavor]:
    meant = {pool.name for namespace in queued(tenant) for pool in pools_of(namespace, settings.pools)}
    resources = {name for namespace in queued(tenant) for name in namespace.quota} | set(tenant.queue.borrow)
    return [each for each in known if each.planned.pool.name in meant and each.resource in resources]


def _nominal(settings: Settings, known: Sequence[Flavor]) -> dict[tuple[str, bool], dict[str, int]]:
    """By tenant and whether it is queued: units of each flavor. The least choosy namespaces are served last."""
    ratio = settings.queues.overcommit_ratio
    left = {each.name: int(each.units * ratio) for each in known}
    claims = [
        (tenant.name, namespace in queued(tenant), amount, own)
        for tenant in settings.tenants
        for namespace in tenant.namespaces
        for meant in [pools_of(namespace, settings.pools)]
        for resource, amount in namespace.quota.items()
        if (own := [each for each in known if each.resource == resource and each.planned.pool in meant])
    ]
    found: dict[tuple[str, bool], dict[str, int]] = {}
    for tenant, is_queued, amount, own in sorted(claims, key=lambda claim: len(claim[3])):
        free = {each.name: left[each.name] for each in own}
        fits = amount <= sum(free.values())
        parts = apportion(amount, free if fits else {each.name: each.units for each in own})
        held = found.setdefault((tenant, is_queued), {})
        for name, part in parts.items():
            left[name] = max(0, left[name] - part)
            held[name] = held.get(name, 0) + part
    return found


def _shares(
    tenant: Tenant, own: Sequence[Flavor], nominal: Mapping[tuple[str, bool], Mapping[str, int]]
) -> tuple[Share, ...]:
    held = nominal.get((tenant.name, True), {})
    borrow: dict[str, int] = {}
    keep: dict[str, int] = {}
    for resource in {each.resource for each in own}:
        alike = [each for each in own if each.resource == resource]
        borrow |= apportion(tenant.queue.borrow.get(resource, 0), {each.name: each.units for each in alike})
        keep |= apportion(tenant.queue.keep.get(resource, 0), {each.name: held.get(each.name, 0) for each in alike})
    return tuple(Share(each, held.get(each.name, 0), borrow[each.name], keep[each.name]) for each in own)
