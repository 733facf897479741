"""When drift may replace the nodes of each NodePool, as the settings say it."""

from __future__ import annotations

from gpuplatform.settings.disruption import Disruption
from gpuplatform.settings.plan import plan
from gpuplatform.settings.settings import Settings
from gpuplatform.standard.reasons import Reason


def when(disruption: Disruption) -> str:
    """When drift may replace nodes, in the pool's own time zone."""
    windows = [window for window in disruption.windows if Reason.DRIFTED in window.reasons]
    at_once = f"{disruption.nodes_at_once} at once"
    if not windows:
        return f"at any time, {at_once}"
    spans = "; ".join(f"{', '.join(window.days)} {window.start} to {window.end}" for window in windows)
    return f"{spans} ({disruption.time_zone}), {at_once}"


def windows_by_nodepool(settings: Settings) -> dict[str, str]:
    """The same for each NodePool of a stack, by its name."""
    planned = plan(settings.pools, settings.network.zones)
    return {each.name: when(each.pool.disruption) for each in planned} | {
        pool.name: when(pool.disruption) for pool in (*settings.cpu_pools, *settings.neuron_pools)
    }
