"""Spot: pools that buy there need the account's service-linked role."""

from __future__ import annotations

from gpuplatform.faults import Fault, warning
from gpuplatform.settings.draft import Draft
from gpuplatform.settings.pools import Pool
from gpuplatform.standard.markets import Market


def judge(draft: Draft) -> list[Fault]:
    """A warning where a pool buys on spot and nobody says that the role is there."""
    if draft.account is None or draft.account.spot_service_linked_role is not None:
        return []
    pools = [
        *(pool.name for pool in draft.pools if _on_spot(pool)),
        *(pool.name for pool in (*draft.cpu_pools, *draft.neuron_pools) if Market.SPOT in pool.markets),
    ]
    if not pools:
        return []
    return [
        warning(
            "account.spot_service_linked_role",
            f"nothing, and {', '.join(pools)} on spot",
            # aws/karpenter-provider-aws v1.14.1, pkg/providers/instance/instance.go.
            "create or present: without AWSServiceRoleForEC2Spot Karpenter holds spot for lack of capacity, and every"
            " pod goes on to on-demand or waits",
            "say create in one stack of the account, and present in the others",
        )
    ]


def _on_spot(pool: Pool) -> bool:
    return any(choice.market is Market.SPOT for card in pool.cards for choice in card.markets)
