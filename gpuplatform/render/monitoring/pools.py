"""Alerts for each pool: its ceiling, its use, its fixed nodes, what its nodes advertise (M5, M6)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from gpuplatform.render.monitoring.alert import Alert, Severity, on_the_node
from gpuplatform.render.monitoring.names import karpenter_resource, sanitized
from gpuplatform.render.monitoring.parts import nodes_of
from gpuplatform.settings.monitoring import Monitoring
from gpuplatform.settings.plan import PlannedNodePool, unit_resource

_NEAR = 0.9
_NODES_AND_PODS = (
    "kubectl get nodes -l gpu.vendor=nvidia -L karpenter.sh/nodepool,eks.amazonaws.com/nodegroup | grep ' POOL-'",
    "kubectl get pods -A -o wide --field-selector spec.nodeName=NODE",
)
"""NodePools and node groups are named after their pool."""


def pool_alerts(planned: Iterable[PlannedNodePool], settings: Monitoring) -> Iterator[Alert]:
    """The alerts of every pool, in the order of the settings."""
    by_pool: dict[str, list[PlannedNodePool]] = {}
    for each in planned:
        by_pool.setdefault(each.pool.name, []).append(each)
    for pool, nodepools in by_pool.items():
        elastic = [each for each in nodepools if each.replicas is None]
        if elastic:
            yield _near_ceiling(pool, elastic)
        if not nodepools[0].pool.dra:  # nothing measures such cards
            yield _low_use(pool, nodepools, settings.use_target_percent)
        for each in nodepools:
            if each.replicas is not None:
                yield _short(each, each.replicas)
            if not each.pool.dra:
                yield _advertises(each)


def _near_ceiling(pool: str, elastic: Sequence[PlannedNodePool]) -> Alert:
    named = "|".join(each.name for each in elastic)
    resource = karpenter_resource(unit_resource(elastic[0].pool))
    of = f'{{nodepool=~"{named}",resource_type="{resource}"}}'
    return Alert(
        "GpuPoolNearCeiling",
        f"sum(karpenter_nodepools_usage{of}) / sum(karpenter_nodepools_limit{of}) > {_NEAR}",
        15,
        Severity.TICKET,
        f"the pool {pool} uses {{{{ $value | humanizePercentage }}}} of its ceiling",
        "Work that asks for more will wait. Raise the pool's ceiling_cards, or see who holds the cards: the"
        " board GPU teams.",
        labels={"pool": pool},
        look=(
            "kubectl get nodepools",
            *_NODES_AND_PODS,
        ),
    )


def _low_use(pool: str, nodepools: Sequence[PlannedNodePool], target_percent: int) -> Alert:
    named = "|".join(each.name for each in nodepools)
    return Alert(
        "GpuUseLow",
        f'avg(avg_over_time(DCGM_FI_PROF_GR_ENGINE_ACTIVE{{nodepool=~"{named}"}}[1h])) < {target_percent / 100}',
        120,
        Severity.NOTE,
        f"the cards of the pool {pool} work {{{{ $value | humanizePercentage }}}} of the time,"
        f" below the target of {target_percent} %",
        "Cards are paid for and idle. `gpuplatform share` says which way of sharing costs less; the board GPU"
        " teams says whose.",
        labels={"pool": pool},
        look=(
            *_NODES_AND_PODS,
            "gpuplatform share --help",
        ),
    )


def _short(nodepool: PlannedNodePool, replicas: int) -> Alert:
    ready = (
        'sum(kube_node_status_condition{condition="Ready",status="true"} * on (node) group_left ()'
        f" {nodes_of(nodepool)}) or vector(0)"
    )
    return Alert(
        "StaticPoolShort",
        f"({ready}) < {replicas}",
        15,
        Severity.PAGE,
        f"{nodepool.name} has {{{{ $value }}}} ready nodes of {replicas}",
        "Jobs that need these nodes wait. No capacity in their one zone, or a reservation that ran out: Karpenter's"
        " events say so, or the health of the managed node group where the pool is one.",
        labels={"pool": nodepool.pool.name, "nodepool": nodepool.name},
        look=(
            "kubectl -n kube-system logs deploy/karpenter --since=30m | grep -i error",
            "kubectl get nodeclaims",
            "kubectl get events -A --field-selector reason=FailedScheduling",
            "aws eks describe-nodegroup --cluster-name CLUSTER --nodegroup-name NODEPOOL --query nodegroup.health",
        ),
    )


def _advertises(nodepool: PlannedNodePool) -> Alert:
    """Each node offers as many units as its type has: a plugin that fails offers fewer, and nothing else says so.

    Where a plugin never came the node has no such series at all, which is as if it offered none.
    """
    resource = sanitized(unit_resource(nodepool.pool))
    offers = f'max by (node) (kube_node_status_allocatable{{resource="{resource}"}})'
    terms: list[str] = []
    for each in nodepool.types:
        there = f"max by (node) ({nodes_of(nodepool, each.name)})"
        terms.append(f"(({offers} * {there} or {there} * 0) < {each.cards * nodepool.units_per_card})")
    return Alert(
        "GpuPluginShort",
        " or ".join(terms),
        15,
        Severity.TICKET,
        f"{{{{ $labels.node }}}} of {nodepool.name} offers {{{{ $value }}}} {unit_resource(nodepool.pool)}, and"
        f" its type"
        " has more",
        "A card is gone, or the device plugin or the MIG manager has not finished: their logs on the node, then"
        " the card's"
        " XIDs. Delete the NodeClaim if it stays.",
        labels={"pool": nodepool.pool.name, "nodepool": nodepool.name},
        look=(
            on_the_node("logs", "nvidia-device-plugin-daemonset", "--tail=100"),
            "kubectl describe node NODE",
        ),
    )
