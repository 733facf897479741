"""How far the largest job of a team is spread: over one node, one block of nodes that stand together, or more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gpuplatform.settings.draft import Draft
from gpuplatform.settings.plan import PlannedNodePool, plan, unit_resource
from gpuplatform.settings.teams import pools_of, training


@dataclass(frozen=True, slots=True)
class Span:
    """The largest job that a namespace which trains may have of a resource, in units of it."""

    tenant: str
    namespace: str
    resource: str
    largest_job: int
    """Its quota."""
    one_node: int
    """What the largest node of its pools offers."""
    one_block: int
    """What the largest placement group or zone of static nodes offers; 0 where its pools have neither."""

    @property
    def fits(self) -> bool:
        """Whether it can run on nodes that are known to stand together."""
        return self.largest_job <= max(self.one_node, self.one_block)

    def __str__(self) -> str:
        """One line for a person."""
        block = f"a block {self.one_block}" if self.one_block else "no pool of it has a block"
        return (
            f"the largest job of {self.tenant} in {self.namespace} is {self.largest_job} {self.resource}:"
            f" one node has {self.one_node}, {block}; it runs on nodes that may stand apart"
        )


def spans(draft: Draft) -> tuple[Span, ...]:
    """One for each quota of a namespace that trains, which some of its pools offers."""
    planned = plan(draft.pools, draft.zones)
    found: list[Span] = []
    for tenant in draft.tenants:
        for namespace in training(tenant):
            meant = {pool.name for pool in pools_of(namespace, draft.pools)}
            for resource, amount in namespace.quota.items():
                own = [each for each in planned if each.pool.name in meant and unit_resource(each.pool) == resource]
                if amount and own:
                    found.append(Span(tenant.name, namespace.name, resource, amount, _node(own), _block(own)))
    return tuple(found)


def _node(planned: Sequence[PlannedNodePool]) -> int:
    return max(one.cards * each.units_per_card for each in planned for one in each.types)


def _block(planned: Sequence[PlannedNodePool]) -> int:
    together = (
        each.ceiling_cards * each.units_per_card
        for each in planned
        if each.pool.placement_group is not None or each.replicas is not None
    )
    return max(together, default=0)
