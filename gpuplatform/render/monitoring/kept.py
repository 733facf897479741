"""How many series our own monitors keep at most: what monitoring costs in memory, before it does (M1, M3).

The charts' own targets, kube-state-metrics and the kubelet among them, are not counted: their charts choose those.
Kueue's series are by queue, not by node or NodePool.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from gpuplatform.catalog.dcgm_counters import counters
from gpuplatform.settings.plan import PlannedNodePool, mig_profile

# Labels of each series and what they may say: Karpenter v1.14.1, pkg/metrics, pkg/controllers and, of conditions,
# pkg/apis/v1/nodeclaim_status.go. A NodePool has one market, so that label has one value for it.
_RESOURCES = 14  # of a node: its own, those of its network, the cards, and what an overlay adds
_CONDITIONS = 11
_OF_NODEPOOL: Mapping[str, int] = {
    "karpenter_nodepools_usage": _RESOURCES,
    "karpenter_nodepools_limit": 1,
    "karpenter_nodepools_allowed_disruptions": 3,  # reasons of a budget
    "karpenter_nodeclaims_disrupted_total": 10,  # those, and why a NodeClaim goes besides
}
_OF_NODE: Mapping[str, int] = {"operator_nodeclaim_status_condition_current_status_seconds": _CONDITIONS}
_OF_CLUSTER = frozenset(
    {
        "karpenter_cloudprovider_instance_launch_failures_total",
        "karpenter_interruption_received_messages_total",
    }
)
"""By reason, zone and market, or by kind of message: however many pools and nodes there are."""


@dataclass(frozen=True, slots=True)
class Kept:
    """The most that one NodePool brings."""

    nodepool: str
    per_nodepool: int
    """Whether it has nodes or not."""
    per_node: int
    """Of its largest type. XIDs come on top, one series for each code that a card reported within five minutes."""


def kept(planned: PlannedNodePool, read: Collection[str]) -> Kept:
    """What of the card exporter and of Karpenter, whose series ``read`` are kept, one NodePool brings.

    The exporter measures slices one by one; a share is a name for its card. KeyError for a series of which nobody has
    written how many there are.
    """
    measured = planned.units_per_card if mig_profile(planned.pool) else 1
    cards = max(each.cards for each in planned.types)
    counted = [each for each in read if each not in _OF_CLUSTER]
    of_nodes = [each for each in counted if each in _OF_NODE]
    return Kept(
        planned.name,
        sum(_OF_NODEPOOL[each] for each in counted if each not in of_nodes),
        len(counters()) * cards * measured + sum(_OF_NODE[each] for each in of_nodes),
    )
