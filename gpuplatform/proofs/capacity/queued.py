"""Work that a queue would hold back for good: what Kueue does not count, and parts of a node that no pod fits in."""

from __future__ import annotations

from gpuplatform.faults import Fault, warning
from gpuplatform.settings.draft import Draft
from gpuplatform.settings.flavors import Share, TeamQueue, queue_plan_of
from gpuplatform.settings.teams import meant_for, queued
from gpuplatform.settings.tenants import Namespace, Tenant


def claimed(draft: Draft) -> list[Fault]:
    """Queued namespaces of pools whose cards are claimed: Kueue admits no claim of a class without a quota."""
    return [
        _claims(tenant, namespace, pool.name)
        for tenant in draft.tenants
        for namespace in queued(tenant)
        for pool in meant_for(namespace, draft.pools)
        if pool.dra
    ]


def _claims(tenant: Tenant, namespace: Namespace, pool: str) -> Fault:
    return Fault(
        f"tenants[{tenant.name}].namespaces[{namespace.name}].scheduling",
        f"queued, and its pool {pool} has dra: true",
        "pools whose cards are counted: the queue would never admit a claim",
        f"write `scheduling: serving`, remove dra from {pool}, or name under `pools` those that are without",
    )


def part_nodes(draft: Draft) -> list[Fault]:
    """Pools of which a team may have less than one node: work that fills a node of them waits for good."""
    return [
        _of_team(team.tenant, lacking)
        for team in queue_plan_of(draft).teams
        if (lacking := [each for each in _best(team) if each.nominal + each.borrow < each.flavor.node_units])
    ]


def _best(team: TeamQueue) -> list[Share]:
    """Of each pool the flavor of which the team may have most, where it may have any of the pool's resource."""
    held = {each.flavor.resource for each in team.shares if each.nominal + each.borrow}
    best: dict[str, Share] = {}
    for each in team.shares:
        pool = each.flavor.planned.pool.name
        before = best.get(pool, each)
        if each.flavor.resource in held:
            best[pool] = max(before, each, key=lambda share: share.nominal + share.borrow)
    return list(best.values())


def _of_team(tenant: Tenant, lacking: list[Share]) -> Fault:
    given = ", ".join(
        f"{each.nominal} {each.flavor.resource} and {each.borrow} to borrow on pool {each.flavor.planned.pool.name}"
        f" (a node has {each.flavor.node_units})"
        for each in lacking
    )
    return warning(
        f"tenants[{tenant.name}].queue",
        given,
        "a whole node of each pool that the team's namespaces are meant for: work for one waits in the queue for good",
        "raise the quota or queue.borrow, or name under `pools` only those that it is for",
    )
