"""Cross-checks: whether valid parts of the settings fit the catalog, the standard and each other.

Each file has one concern. Every check takes partial settings, returns faults and never raises.
"""

from __future__ import annotations

from gpuplatform.checks.cluster import check_bring_up, check_cluster
from gpuplatform.checks.hardware import check_architectures, check_efa, check_hardware
from gpuplatform.checks.naming import check_naming
from gpuplatform.checks.network import check_network, check_zones
from gpuplatform.checks.pools import check_other_pools, check_pools
from gpuplatform.checks.prices import check_prices, check_spot
from gpuplatform.checks.reach import check_reach, check_taints
from gpuplatform.checks.sharing import check_dra, check_sharing
from gpuplatform.checks.tenants import check_tenants
from gpuplatform.faults import Fault
from gpuplatform.settings.partial import PartialSettings

_CHECKS = (
    check_naming,
    check_cluster,
    check_network,
    check_zones,
    check_hardware,
    check_architectures,
    check_pools,
    check_efa,
    check_taints,
    check_sharing,
    check_bring_up,
    check_dra,
    check_reach,
    check_other_pools,
    check_spot,
    check_tenants,
    check_prices,
)


def cross_check(settings: PartialSettings) -> list[Fault]:
    """The errors and warnings of every check on the settings that could be read."""
    return [fault for check in _CHECKS for fault in check(settings)]
