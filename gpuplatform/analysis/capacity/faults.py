"""Faults of quotas: guarantees and loans that the pools' ceilings cannot cover."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gpuplatform.analysis.capacity.lines import CapacityLine, Claim, PoolOffer, capacity_lines, claims_of, offers
from gpuplatform.faults import Fault, warning
from gpuplatform.plan.max_flow import Demand, bottlenecks, divided
from gpuplatform.plan.queues import Share, TeamQueue, flavors, queue_plan_of
from gpuplatform.plan.teams import guaranteed, meant_for, neuron_pools_of, pools_of, queued
from gpuplatform.settings.partial import PartialSettings
from gpuplatform.settings.settings import Queues
from gpuplatform.settings.tenants import Namespace, Tenant

_RATIO = "queues.overcommit_ratio"


def faults(settings: PartialSettings) -> list[Fault]:
    """Guarantees above the stack's over-commit ratio, and quotas above the ceilings of all their pools."""
    if settings.queues is None or settings.broken_pools_text not in ("", "[]"):
        return []  # other checks report pools that cannot be read; sums without them would mislead
    resource_offers = offers(settings)
    room = _room(settings, settings.queues)
    quota_faults = [
        fault for claim in claims_of(settings, resource_offers) for fault in _unserved(claim, resource_offers)
    ]
    quota_faults += [fault for line in capacity_lines(settings) for fault in _over(line, room, settings.queues)]
    quota_faults += [fault for tenant in settings.tenants for fault in _borrowed(tenant, settings, resource_offers)]
    quota_faults += claimed(settings)
    return quota_faults or part_nodes(settings)


def _room(settings: PartialSettings, queues: Queues) -> Mapping[str, int]:
    """The units that may be guaranteed on each pool: whole units of each flavor, as queues divide them."""
    room = {
        neuron_pool.name: queues.guaranteeable(neuron_pool.ceiling_devices) for neuron_pool in settings.neuron_pools
    }
    for flavor in flavors(settings.pools, settings.zones):
        name = flavor.planned.pool.name
        room[name] = room.get(name, 0) + queues.guaranteeable(flavor.units)
    return room


def _unserved(claim: Claim, resource_offers: tuple[PoolOffer, ...]) -> list[Fault]:
    of_resource = [offer for offer in resource_offers if offer.resource == claim.resource]
    if not of_resource:
        return []  # a check of the settings refuses a resource that no pool offers
    usable_offers = [offer for offer in of_resource if offer.pool in claim.pools]
    most = sum(offer.units for offer in usable_offers)
    if claim.amount <= most:
        return []
    pool_names = (
        _named(usable_offers)
        if usable_offers
        else f"no pool that the namespace may use (it is offered by {_named(of_resource)})"
    )
    return [
        Fault(
            f"tenants[{claim.tenant}].namespaces[{claim.namespace}].quota[{claim.resource}]",
            str(claim.amount),
            f"at most {most}: {pool_names}",
            "lower the quota, raise a ceiling, or name further pools under `pools`",
        )
    ]


def _over(line: CapacityLine, room: Mapping[str, int], queues: Queues) -> Iterable[Fault]:
    """A fault for each set of claims that exceeds the pools which may serve them; the sum of all would hide it."""
    most = {offer.pool: offer.units for offer in line.offers}
    # Claims above all their pools have a fault of their own, so only the part that fits is counted.
    wishes = [Demand(min(claim.amount, sum(most[pool] for pool in claim.pools)), claim.pools) for claim in line.claims]
    room_of_pools = {offer.pool: room[offer.pool] for offer in line.offers}
    for bottleneck in bottlenecks(wishes, divided(wishes, room_of_pools), room_of_pools):
        part = CapacityLine(
            line.resource,
            tuple(offer for offer in line.offers if offer.pool in bottleneck.places),
            tuple(line.claims[position] for position in bottleneck.wishes),
        )
        yield _too_much(part, sum(room_of_pools[pool] for pool in bottleneck.places), queues.overcommit_ratio)


def _too_much(part: CapacityLine, room: int, allowed: float) -> Fault:
    guaranteed_to = ", ".join(f"{claim.tenant} {claim.amount} in {claim.namespace}" for claim in part.claims)
    return Fault(
        _RATIO,
        f"{part.guaranteed} {part.resource} guaranteed ({guaranteed_to}) of at most {part.units}"
        f" ({_named(part.offers)}): {part.ratio:.2f} times",
        f"{allowed:.2f} times, {room} {part.resource}",
        "lower one of these quotas, raise a ceiling, name further pools under `pools`, or allow a higher ratio",
    )


def _borrowed(tenant: Tenant, settings: PartialSettings, resource_offers: tuple[PoolOffer, ...]) -> Iterable[Fault]:
    """A fault for each resource of which a team might hold more than all its pools have."""
    quotas = guaranteed(queued(tenant))
    for resource, amount in tenant.queue.borrow.items():
        usable_pools = {
            pool.name
            for namespace in queued(tenant)
            if resource in namespace.quota
            for pool in (*pools_of(namespace, settings.pools), *neuron_pools_of(namespace, settings.neuron_pools))
        }
        pools = [offer for offer in resource_offers if offer.resource == resource and offer.pool in usable_pools]
        most, quota = sum(pool.units for pool in pools), quotas.get(resource, 0)
        if usable_pools and quota <= most < quota + amount:
            yield Fault(
                f"tenants[{tenant.name}].queue.borrow[{resource}]",
                f"{amount} above a quota of {quota}",
                f"at most {most - quota}, as its pools have {most}: {_named(pools)}",
                "borrow less, raise a ceiling, or name further pools under `pools`",
            )


def _named(pool_offers: Iterable[PoolOffer]) -> str:
    return ", ".join(f"pool {offer.pool} {offer.units}" for offer in pool_offers)


def claimed(settings: PartialSettings) -> list[Fault]:
    """A fault for each queued namespace of a pool whose cards are claimed: Kueue admits no claim without a quota."""
    return [
        _claims(tenant, namespace, pool.name)
        for tenant in settings.tenants
        for namespace in queued(tenant)
        for pool in meant_for(namespace, settings.pools)
        if pool.dra
    ]


def _claims(tenant: Tenant, namespace: Namespace, pool: str) -> Fault:
    return Fault(
        f"tenants[{tenant.name}].namespaces[{namespace.name}].scheduling",
        f"queued, and its pool {pool} has dra: true",
        "pools with dra: false, because a queue never admits claims",
        f"write `scheduling: serving`, remove dra from {pool}, or name only pools without dra under `pools`",
    )


def part_nodes(settings: PartialSettings) -> list[Fault]:
    """A warning for each team that may have less than one node of a pool: work that fills a node waits for ever."""
    return [
        _of_team(team.tenant, small_shares)
        for team in queue_plan_of(settings).teams
        if (small_shares := [share for share in _best(team) if share.nominal + share.borrow < share.flavor.node_units])
    ]


def _best(team: TeamQueue) -> list[Share]:
    """For each pool whose resource the team may have: the flavor of which it may have most."""
    resources_of_team = {share.flavor.resource for share in team.shares if share.nominal + share.borrow}
    best: dict[str, Share] = {}
    for share in team.shares:
        pool = share.flavor.planned.pool.name
        largest = best.get(pool, share)
        if share.flavor.resource in resources_of_team:
            best[pool] = max(largest, share, key=lambda candidate: candidate.nominal + candidate.borrow)
    return list(best.values())


def _of_team(tenant: Tenant, small_shares: list[Share]) -> Fault:
    shares = ", ".join(
        f"{share.nominal} {share.flavor.resource} and {share.borrow} to borrow on pool {share.flavor.planned.pool.name}"
        f" (a node has {share.flavor.node_units})"
        for share in small_shares
    )
    return warning(
        f"tenants[{tenant.name}].queue",
        shares,
        "a whole node of each pool of the team's namespaces: work that fills a node waits in the queue for ever",
        "raise the quota or queue.borrow, or name under `pools` only the pools that the quota is for",
    )
