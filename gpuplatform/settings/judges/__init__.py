"""Cross-checks: whether parts of the settings that are each valid fit the catalogue, the standard and each other.

One concern a file; every judge takes a draft, returns faults and never raises.
"""

from __future__ import annotations

from gpuplatform.faults import Fault
from gpuplatform.settings.draft import Draft
from gpuplatform.settings.judges import (
    architectures,
    bring_up,
    cluster,
    dra,
    efa,
    hardware,
    naming,
    network,
    other_pools,
    pools,
    prices,
    reach,
    sharing,
    spot,
    taints,
    tenants,
    zones,
)

_JUDGES = (
    naming.judge,
    cluster.judge,
    network.judge,
    zones.judge,
    hardware.judge,
    architectures.judge,
    pools.judge,
    efa.judge,
    taints.judge,
    sharing.judge,
    bring_up.judge,
    dra.judge,
    reach.judge,
    other_pools.judge,
    spot.judge,
    tenants.judge,
    prices.judge,
)


def judge(draft: Draft) -> list[Fault]:
    """Everything that is wrong or worth a warning in what could be read."""
    return [fault for one in _JUDGES for fault in one(draft)]
