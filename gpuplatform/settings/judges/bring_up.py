"""Who cuts a pool's cards: only a pool that has cards to cut may say."""

from __future__ import annotations

from gpuplatform.faults import Fault
from gpuplatform.settings.draft import Draft
from gpuplatform.settings.plan import mig_profile
from gpuplatform.settings.pools import Pool, Sharing


def judge(draft: Draft) -> list[Fault]:
    """Pools that say how MIG is brought up and have no MIG."""
    return [
        Fault(
            f"pools[{pool.name}].mig_bring_up",
            f"{pool.mig_bring_up.value} on cards that are {_shared(pool) or 'whole'}",
            "cards that are cut by mig",
            "leave mig_bring_up out, or cut the cards by mig",
        )
        for pool in draft.pools
        if "mig_bring_up" in pool.model_fields_set
        and mig_profile(pool) is None
        # Where the sharing could not be read, it may have been by mig.
        and (_shared(pool) or pool in draft.whole_pools)
    ]


def _shared(pool: Pool) -> str | None:
    if not isinstance(pool.sharing, Sharing) or pool.sharing.shares_per_card is None:
        return None
    return "time-sliced" if pool.sharing.time_slicing is not None else "under MPS"
