"""What is guaranteed of each resource, beside what its pools can have at their ceilings.

Pools that share a team stand on one line: what one of them lacks the other may give. Pools that share none are apart,
although their resource has one name: a card for inference helps no training.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gpuplatform.settings.draft import Draft
from gpuplatform.settings.plan import plan, unit_resource
from gpuplatform.settings.teams import neuron_pools_of, pools_of
from gpuplatform.settings.tenants import Namespace, Tenant
from gpuplatform.standard import resources
from gpuplatform.standard.markets import Market


@dataclass(frozen=True, slots=True)
class Offer:
    """What one pool can have of one resource: cards, shares, slices or devices."""

    pool: str
    resource: str
    static: int
    """On nodes that always stand."""
    elastic: int
    reserved: int
    """Of elastic nodes, those on capacity reservations."""

    @property
    def units(self) -> int:
        """All of it."""
        return self.static + self.elastic + self.reserved


@dataclass(frozen=True, slots=True)
class Claim:
    """What one namespace is guaranteed of one resource, and the pools that may serve it."""

    tenant: str
    namespace: str
    resource: str
    amount: int
    pools: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CapacityLine:
    """One resource on pools that teams share, and what they are guaranteed of it."""

    resource: str
    offers: tuple[Offer, ...]
    claims: tuple[Claim, ...]

    @property
    def units(self) -> int:
        """What all of its pools can have."""
        return sum(each.units for each in self.offers)

    @property
    def guaranteed(self) -> int:
        """What all of its teams are guaranteed."""
        return sum(each.amount for each in self.claims)

    @property
    def ratio(self) -> float:
        """Guaranteed, as a multiple of what there can be."""
        return self.guaranteed / self.units if self.units else 0.0


def offers(draft: Draft) -> tuple[Offer, ...]:
    """One for each pool, in the order of the file; cards that are claimed are counted by no quota."""
    found: dict[str, Offer] = {}
    for each in plan(draft.pools, draft.zones):
        if each.pool.dra:
            continue
        units = each.ceiling_cards * each.units_per_card
        static = units if each.replicas is not None else 0
        reserved = units if not static and each.market.market is Market.RESERVED else 0
        before = found.get(each.pool.name, Offer(each.pool.name, unit_resource(each.pool), 0, 0, 0))
        found[each.pool.name] = Offer(
            before.pool,
            before.resource,
            before.static + static,
            before.elastic + units - static - reserved,
            before.reserved + reserved,
        )
    neuron = (Offer(each.name, resources.NEURON, 0, each.ceiling_devices, 0) for each in draft.neuron_pools)
    return (*found.values(), *neuron)


def capacity_lines(draft: Draft) -> tuple[CapacityLine, ...]:
    """Every pool on exactly one line, with the claims that some of its pools can serve."""
    offered = offers(draft)
    claims = claims_of(draft, offered)
    groups = _groups([each.pool for each in offered], [each.pools for each in claims])
    return tuple(
        CapacityLine(
            own[0].resource,
            own,
            tuple(claim for claim in claims if claim.pools and claim.pools[0] in group),
        )
        for group in groups
        if (own := tuple(each for each in offered if each.pool in group))
    )


def claims_of(draft: Draft, offered: Iterable[Offer]) -> tuple[Claim, ...]:
    """Every quota that is not zero, with the namespace's pools that offer its resource."""
    known = tuple(offered)
    return tuple(
        Claim(tenant.name, namespace.name, resource, amount, _meant(draft, known, namespace, resource))
        for tenant, namespace in _namespaces(draft.tenants)
        for resource, amount in namespace.quota.items()
        if amount
    )


def _namespaces(tenants: Iterable[Tenant]) -> Iterable[tuple[Tenant, Namespace]]:
    return ((tenant, namespace) for tenant in tenants for namespace in tenant.namespaces)


def _meant(draft: Draft, offered: tuple[Offer, ...], namespace: Namespace, resource: str) -> tuple[str, ...]:
    counted = (*pools_of(namespace, draft.pools), *neuron_pools_of(namespace, draft.neuron_pools))
    own = {pool.name for pool in counted}
    return tuple(each.pool for each in offered if each.resource == resource and each.pool in own)


def _groups(pools: Iterable[str], shared: Iterable[tuple[str, ...]]) -> list[set[str]]:
    """The pools in groups: two are in one where some claim is meant for both, directly or through others."""
    groups = [{pool} for pool in pools]
    for together in shared:
        touched = [group for group in groups if not group.isdisjoint(together)]
        if len(touched) > 1:
            for other in touched[1:]:
                touched[0].update(other)
                groups.remove(other)
    return groups
