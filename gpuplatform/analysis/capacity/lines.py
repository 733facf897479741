"""Guarantees of each resource, and the units that its pools have at their ceilings.

Pools that share a team are on one line, because one pool may serve what another cannot. Pools that share no team are on
different lines even where their resource has the same name: a card for inference does not serve training.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gpuplatform.plan.node_pools import plan, unit_resource
from gpuplatform.plan.teams import neuron_pools_of, pools_of
from gpuplatform.settings.partial import PartialSettings
from gpuplatform.settings.tenants import Namespace, Tenant
from gpuplatform.standard import resources
from gpuplatform.standard.markets import Market


@dataclass(frozen=True, slots=True)
class PoolOffer:
    """The units of one resource that one pool has at its ceiling: cards, shares, slices or devices."""

    pool: str
    resource: str
    static: int
    """On static nodes, which always run."""
    elastic: int
    reserved: int
    """On elastic nodes of capacity reservations."""

    @property
    def units(self) -> int:
        """All units: static, elastic and reserved."""
        return self.static + self.elastic + self.reserved


@dataclass(frozen=True, slots=True)
class Claim:
    """The guarantee of one namespace for one resource, and the pools that may serve it."""

    tenant: str
    namespace: str
    resource: str
    amount: int
    pools: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CapacityLine:
    """One resource on pools that share teams, and the guarantees of these teams."""

    resource: str
    offers: tuple[PoolOffer, ...]
    claims: tuple[Claim, ...]

    @property
    def units(self) -> int:
        """The units of all its pools."""
        return sum(offer.units for offer in self.offers)

    @property
    def guaranteed(self) -> int:
        """The units that are guaranteed to all its teams."""
        return sum(claim.amount for claim in self.claims)

    @property
    def ratio(self) -> float:
        """Guaranteed units divided by the units of the pools; 0 where the pools have none."""
        return self.guaranteed / self.units if self.units else 0.0


def offers(settings: PartialSettings) -> tuple[PoolOffer, ...]:
    """One offer for each pool, in the order of the file; pools with dra are absent: no quota counts claims."""
    by_pool: dict[str, PoolOffer] = {}
    for node_pool in plan(settings.pools, settings.zones):
        if node_pool.pool.dra:
            continue
        units = node_pool.ceiling_cards * node_pool.units_per_card
        static = units if node_pool.replicas is not None else 0
        reserved = units if not static and node_pool.market.market is Market.RESERVED else 0
        subtotal = by_pool.get(
            node_pool.pool.name, PoolOffer(node_pool.pool.name, unit_resource(node_pool.pool), 0, 0, 0)
        )
        by_pool[node_pool.pool.name] = PoolOffer(
            subtotal.pool,
            subtotal.resource,
            subtotal.static + static,
            subtotal.elastic + units - static - reserved,
            subtotal.reserved + reserved,
        )
    neuron = (
        PoolOffer(neuron_pool.name, resources.NEURON, 0, neuron_pool.ceiling_devices, 0)
        for neuron_pool in settings.neuron_pools
    )
    return (*by_pool.values(), *neuron)


def capacity_lines(settings: PartialSettings) -> tuple[CapacityLine, ...]:
    """Every pool on exactly one line, with the claims that some of its pools can serve."""
    resource_offers = offers(settings)
    claims = claims_of(settings, resource_offers)
    groups = _groups([offer.pool for offer in resource_offers], [claim.pools for claim in claims])
    return tuple(
        CapacityLine(
            group_offers[0].resource,
            group_offers,
            tuple(claim for claim in claims if claim.pools and claim.pools[0] in group),
        )
        for group in groups
        if (group_offers := tuple(offer for offer in resource_offers if offer.pool in group))
    )


def claims_of(settings: PartialSettings, resource_offers: Iterable[PoolOffer]) -> tuple[Claim, ...]:
    """Every quota that is not zero, with the namespace's pools that offer its resource."""
    offers_of_pools = tuple(resource_offers)
    return tuple(
        Claim(tenant.name, namespace.name, resource, amount, _meant(settings, offers_of_pools, namespace, resource))
        for tenant, namespace in _namespaces(settings.tenants)
        for resource, amount in namespace.quota.items()
        if amount
    )


def _namespaces(tenants: Iterable[Tenant]) -> Iterable[tuple[Tenant, Namespace]]:
    return ((tenant, namespace) for tenant in tenants for namespace in tenant.namespaces)


def _meant(
    settings: PartialSettings, resource_offers: tuple[PoolOffer, ...], namespace: Namespace, resource: str
) -> tuple[str, ...]:
    usable_pools = (*pools_of(namespace, settings.pools), *neuron_pools_of(namespace, settings.neuron_pools))
    names = {pool.name for pool in usable_pools}
    return tuple(offer.pool for offer in resource_offers if offer.resource == resource and offer.pool in names)


def _groups(pools: Iterable[str], pools_of_claims: Iterable[tuple[str, ...]]) -> list[set[str]]:
    """The pools in groups: two pools are in one group if a claim may use both, directly or through other pools."""
    groups = [{pool} for pool in pools]
    for pools_of_claim in pools_of_claims:
        overlaps = [group for group in groups if not group.isdisjoint(pools_of_claim)]
        if len(overlaps) > 1:
            for other in overlaps[1:]:
                overlaps[0].update(other)
                groups.remove(other)
    return groups
