"""When drift may replace the nodes of each NodePool, according to the settings."""

from __future__ import annotations

from gpuplatform.plan.node_pools import plan
from gpuplatform.settings.disruption import Disruption
from gpuplatform.settings.settings import Settings
from gpuplatform.standard.markets import Reason


def when(disruption: Disruption) -> str:
    """A text with the times at which drift may replace nodes, in the pool's own time zone."""
    windows = [window for window in disruption.windows if Reason.DRIFTED in window.reasons]
    at_once = f"{disruption.nodes_at_once} at once"
    if not windows:
        return f"at any time, {at_once}"
    spans = "; ".join(f"{', '.join(window.days)} {window.start} to {window.end}" for window in windows)
    return f"{spans} ({disruption.time_zone}), {at_once}"


def windows_by_nodepool(settings: Settings) -> dict[str, str]:
    """The text of ``when`` for each NodePool of a stack, by its name."""
    planned = plan(settings.pools, settings.network.zones)
    return {node_pool.name: when(node_pool.pool.disruption) for node_pool in planned} | {
        pool.name: when(pool.disruption) for pool in (*settings.cpu_pools, *settings.neuron_pools)
    }
