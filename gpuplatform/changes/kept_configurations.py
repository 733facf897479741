"""Configurations of running nodes that the new documents must keep until drift has replaced the nodes."""

from __future__ import annotations

from gpuplatform.faults import Fault
from gpuplatform.plan.node_pools import PlannedNodePool, mig_profile, plan
from gpuplatform.render import sharing
from gpuplatform.render.nodepools import instruction_labels
from gpuplatform.settings.pools import Sharing
from gpuplatform.settings.settings import Settings


def dropped_configurations(was: Settings, now: Settings) -> list[Fault]:
    """Faults of configurations that earlier nodes may still use and the new documents do not define."""
    defined_keys = sharing.config_keys(plan(now.pools, now.network.zones), now.pools, now.earlier_sharing)
    faults: dict[str, Fault] = {}
    for running in plan(was.pools, was.network.zones):
        node_labels = instruction_labels(running, was.aliases)
        for key in sharing.config_keys_of(node_labels) - defined_keys:
            faults[key] = Fault(
                "earlier_sharing",
                f"nothing for {key}, which nodes of {running.name} may still use",
                "every configuration that a running node still uses, until drift has replaced the node",
                f"add {_line(running)} to earlier_sharing, and remove it when no node uses it",
            )
    return list(faults.values())


def _line(planned: PlannedNodePool) -> str:
    way = planned.pool.sharing
    if not isinstance(way, Sharing):
        return "nothing"
    sharing_text = (
        f"mig: {mig_profile(planned.pool)}"
        if way.mig
        else f"{'mps' if way.mps is not None else 'time_slicing'}: {way.shares_per_card}"
    )
    return f"{{card: {planned.card.name}, sharing: {{{sharing_text}}}}}"
