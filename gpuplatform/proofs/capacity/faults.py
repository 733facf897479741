"""Quotas that cannot be kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gpuplatform.faults import Fault
from gpuplatform.flow import Wish, divided, tight
from gpuplatform.proofs.capacity.lines import CapacityLine, Claim, Offer, capacity_lines, claims_of, offers
from gpuplatform.proofs.capacity.queued import claimed, part_nodes
from gpuplatform.settings.draft import Draft
from gpuplatform.settings.flavors import flavors
from gpuplatform.settings.queues import Queues
from gpuplatform.settings.teams import guaranteed, neuron_pools_of, pools_of, queued
from gpuplatform.settings.tenants import Tenant

_RATIO = "queues.overcommit_ratio"


def faults(draft: Draft) -> list[Fault]:
    """Over-commitment beyond the ratio that the stack allows, and quotas above all their pools."""
    if draft.queues is None or draft.broken_pools_text not in ("", "[]"):
        return []  # what cannot be read is said elsewhere, and sums without it would mislead
    offered = offers(draft)
    room = _room(draft, draft.queues)
    found = [fault for claim in claims_of(draft, offered) for fault in _unserved(claim, offered)]
    found += [fault for line in capacity_lines(draft) for fault in _over(line, room, draft.queues)]
    found += [fault for tenant in draft.tenants for fault in _borrowed(tenant, draft, offered)]
    found += claimed(draft)
    return found or part_nodes(draft)


def _room(draft: Draft, queues: Queues) -> Mapping[str, int]:
    """What may be guaranteed on each pool: whole units of each of its flavors, as its queues are divided."""
    room = {each.name: queues.guaranteeable(each.ceiling_devices) for each in draft.neuron_pools}
    for each in flavors(draft.pools, draft.zones):
        name = each.planned.pool.name
        room[name] = room.get(name, 0) + queues.guaranteeable(each.units)
    return room


def _unserved(claim: Claim, offered: tuple[Offer, ...]) -> list[Fault]:
    of_resource = [each for each in offered if each.resource == claim.resource]
    if not of_resource:
        return []  # a resource that no pool offers is refused by the settings' own judge
    meant = [each for each in of_resource if each.pool in claim.pools]
    most = sum(each.units for each in meant)
    if claim.amount <= most:
        return []
    where = _named(meant) if meant else f"no pool that the namespace may use (it is offered by {_named(of_resource)})"
    return [
        Fault(
            f"tenants[{claim.tenant}].namespaces[{claim.namespace}].quota[{claim.resource}]",
            str(claim.amount),
            f"at most {most}: {where}",
            "lower the quota, raise a ceiling, or name further pools under `pools`",
        )
    ]


def _over(line: CapacityLine, room: Mapping[str, int], queues: Queues) -> Iterable[Fault]:
    """Claims which are together more than the pools that they may be served from: a sum of all would not show them."""
    most = {each.pool: each.units for each in line.offers}
    # Without the parts that are refused on their own.
    wishes = [Wish(min(each.amount, sum(most[pool] for pool in each.pools)), each.pools) for each in line.claims]
    own = {each.pool: room[each.pool] for each in line.offers}
    for each in tight(wishes, divided(wishes, own), own):
        part = CapacityLine(
            line.resource,
            tuple(offer for offer in line.offers if offer.pool in each.places),
            tuple(line.claims[position] for position in each.wishes),
        )
        yield _too_much(part, sum(own[pool] for pool in each.places), queues.overcommit_ratio)


def _too_much(part: CapacityLine, room: int, allowed: float) -> Fault:
    given = ", ".join(f"{each.tenant} {each.amount} in {each.namespace}" for each in part.claims)
    return Fault(
        _RATIO,
        f"{part.guaranteed} {part.resource} guaranteed ({given}) of {part.units} that can be ({_named(part.offers)}):"
        f" {part.ratio:.2f} times",
        f"{allowed:.2f} times, {room} {part.resource}",
        "lower one of these quotas, raise a ceiling, name further pools under `pools`, or allow a higher ratio",
    )


def _borrowed(tenant: Tenant, draft: Draft, offered: tuple[Offer, ...]) -> Iterable[Fault]:
    """A team that might hold more than all its pools have: the rest is a promise of nothing."""
    own = guaranteed(queued(tenant))
    for resource, amount in tenant.queue.borrow.items():
        meant = {
            pool.name
            for each in queued(tenant)
            if resource in each.quota
            for pool in (*pools_of(each, draft.pools), *neuron_pools_of(each, draft.neuron_pools))
        }
        pools = [each for each in offered if each.resource == resource and each.pool in meant]
        most, quota = sum(each.units for each in pools), own.get(resource, 0)
        if meant and quota <= most < quota + amount:
            yield Fault(
                f"tenants[{tenant.name}].queue.borrow[{resource}]",
                f"{amount} above a quota of {quota}",
                f"at most {most - quota}, as its pools have {most}: {_named(pools)}",
                "borrow less, raise a ceiling, or name further pools under `pools`",
            )


def _named(found: Iterable[Offer]) -> str:
    return ", ".join(f"pool {each.pool} {each.units}" for each in found)
