"""EFA: one layout of network interfaces where a pool's node class names them."""

from __future__ import annotations

from gpuplatform.catalog.instance_types import instance_type
from gpuplatform.faults import Fault
from gpuplatform.settings.draft import Draft
from gpuplatform.settings.plan import efa_layouts, instance_type_names, needs_named_interfaces
from gpuplatform.settings.pools import Pool


def judge(draft: Draft) -> list[Fault]:
    """Pools whose node class names network cards that some of their types do not have, or do not have EFA on.

    Karpenter launches no type that lacks one of the cards (aws/karpenter-provider-aws v1.14.1
    pkg/providers/instancetype/compatibility/compatibility.go), and leaves interfaces of a larger type unused.
    """
    return [
        Fault(
            f"pools[{pool.name}].cards",
            _layouts(pool),
            "types with EFA on the same network cards: the node class names the cards for all of them, and a type that"
            " lacks one never launches",
            "keep the types that are alike, and make another pool for the rest",
        )
        for pool in draft.pools
        if pool.efa and needs_named_interfaces(pool) and len(efa_layouts(pool)) > 1
    ]


def _layouts(pool: Pool) -> str:
    types = [one for name in instance_type_names(pool) if (one := instance_type(name)) and one.efa_cards]
    return ", ".join(f"{one.name} with EFA on cards {one.efa_cards[0]} to {one.efa_cards[-1]}" for one in types)
