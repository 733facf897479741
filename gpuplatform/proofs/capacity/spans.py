"""How far the largest job of a team is spread: over one node, one block of nodes that stand together, or more."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gpuplatform.settings.draft import Draft
from gpuplatform.settings.flavors import Flavor, flavors, queue_plan_of
from gpuplatform.settings.plan import PlannedNodePool, plan, unit_resource
from gpuplatform.settings.teams import limit, pools_of, training
from gpuplatform.settings.tenants import Namespace, Scheduling, Tenant


@dataclass(frozen=True, slots=True)
class Span:
    """The largest job that a namespace which trains may have of a resource, in units of it."""

    tenant: str
    namespace: str
    resource: str
    quota: int
    """The most that the namespace holds at one time, with what it may borrow."""
    largest_job: int
    """The most that its pods have together: they are alike, so they are of one pool, card and market."""
    pool: str
    """The pool that has as much."""
    one_node: int
    """What the largest node of its pools offers."""
    one_block: int
    """What the largest placement group or zone of static nodes offers; 0 where its pools have neither."""

    @property
    def fits(self) -> bool:
        """Whether it can run on nodes that are known to stand together."""
        return self.largest_job <= max(self.one_node, self.one_block)

    @property
    def says(self) -> str | None:
        """One line for a person; None where one block holds as much as the quota allows."""
        if self.fits and self.largest_job == self.quota:
            return None
        block = f"a block {self.one_block}" if self.one_block else "no pool of it has a block"
        less = "" if self.largest_job == self.quota else f", on pool {self.pool}, although it may hold {self.quota}"
        apart = "" if self.fits else "; it runs on nodes that may stand apart"
        return (
            f"the largest job of {self.tenant} in {self.namespace} is {self.largest_job} {self.resource}{less}:"
            f" one node has {self.one_node}, {block}{apart}"
        )


def spans(draft: Draft) -> tuple[Span, ...]:
    """One for each resource that a namespace which trains may hold, and some of its pools offers."""
    planned, known = plan(draft.pools, draft.zones), flavors(draft.pools, draft.zones)
    shares = {
        (team.tenant.name, each.flavor.name): each.nominal + each.borrow
        for team in queue_plan_of(draft).teams
        for each in team.shares
    }
    found: list[Span] = []
    for tenant in draft.tenants:
        for namespace in training(tenant):
            meant = {pool.name for pool in pools_of(namespace, draft.pools)}
            for resource in namespace.quota:
                own = [each for each in planned if each.pool.name in meant and unit_resource(each.pool) == resource]
                most = limit(tenant, namespace, resource)
                parts = _parts(tenant, namespace, [each for each in known if each.planned in own], shares)
                if most and parts:
                    job, pool = max(parts, key=lambda part: part[0])
                    largest = min(most, job)
                    found.append(
                        Span(tenant.name, namespace.name, resource, most, largest, pool, _node(own), _block(own))
                    )
    return tuple(found)


def _parts(
    tenant: Tenant, namespace: Namespace, own: Iterable[Flavor], shares: dict[tuple[str, str], int]
) -> list[tuple[int, str]]:
    """What it may have of each flavor, and whose pool that is: a queue holds it to its share of the flavor."""
    is_queued = namespace.scheduling is Scheduling.QUEUED
    return [
        (shares.get((tenant.name, each.name), 0) if is_queued else each.units, each.planned.pool.name) for each in own
    ]


def _node(planned: Sequence[PlannedNodePool]) -> int:
    return max(one.cards * each.units_per_card for each in planned for one in each.types)


def _block(planned: Sequence[PlannedNodePool]) -> int:
    together = (
        each.ceiling_cards * each.units_per_card
        for each in planned
        if each.pool.placement_group is not None or each.replicas is not None
    )
    return max(together, default=0)
