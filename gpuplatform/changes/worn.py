"""Configurations that running nodes wear: the documents go on defining them until drift has replaced the nodes."""

from __future__ import annotations

from gpuplatform.faults import Fault
from gpuplatform.render import sharing
from gpuplatform.render.nodepools import instruction_labels
from gpuplatform.settings.plan import PlannedNodePool, mig_profile, plan
from gpuplatform.settings.pools import Sharing
from gpuplatform.settings.settings import Settings


def dropped_configurations(was: Settings, now: Settings) -> list[Fault]:
    """Configurations that nodes of the earlier NodePools may wear, and that the new documents do not hold."""
    kept = sharing.config_keys(plan(now.pools, now.network.zones), now.pools, now.earlier_sharing)
    faults: dict[str, Fault] = {}
    for running in plan(was.pools, was.network.zones):
        worn = instruction_labels(running, was.aliases)
        for key in sharing.config_keys_of(worn) - kept:
            faults[key] = Fault(
                "earlier_sharing",
                f"nothing for {key}, which nodes of {running.name} may still wear",
                "every configuration that a running node wears, until drift has replaced it",
                f"add {_line(running)} to earlier_sharing, and drop it when no node wears it",
            )
    return list(faults.values())


def _line(planned: PlannedNodePool) -> str:
    way = planned.pool.sharing
    if not isinstance(way, Sharing):
        return "nothing"
    chosen = (
        f"mig: {mig_profile(planned.pool)}"
        if way.mig
        else f"{'mps' if way.mps is not None else 'time_slicing'}: {way.shares_per_card}"
    )
    return f"{{card: {planned.card.name}, sharing: {{{chosen}}}}}"
