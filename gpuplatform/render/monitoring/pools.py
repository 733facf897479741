"""Alerts for each pool: its ceiling, its use, its fixed nodes, what its nodes offer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from gpuplatform.plan.node_pools import PlannedNodePool, unit_resource
from gpuplatform.render.monitoring.alert import Alert, AlertSeverity, on_the_node
from gpuplatform.render.monitoring.names import IS_READY, karpenter_resource, nodes_of, sanitized, selected
from gpuplatform.settings.settings import Monitoring

_NEAR = 0.9
_VALUE = "{{ $value }}"
_PERCENT = "{{ $value | humanizePercentage }}"
_NODE = "{{ $labels.node }}"
_NODES_AND_PODS = (
    "kubectl get nodes -l gpu.vendor=nvidia -L karpenter.sh/nodepool,eks.amazonaws.com/nodegroup | grep ' POOL-'",
    "kubectl get pods -A -o wide --field-selector spec.nodeName=NODE",
)
"""NodePools and node groups are named after their pool."""


def pool_alerts(planned: Iterable[PlannedNodePool], settings: Monitoring) -> Iterator[Alert]:
    """The alerts of every pool, in the order of the settings."""
    by_pool: dict[str, list[PlannedNodePool]] = {}
    for node_pool in planned:
        by_pool.setdefault(node_pool.pool.name, []).append(node_pool)
    for pool, node_pools in by_pool.items():
        elastic = [node_pool for node_pool in node_pools if node_pool.replicas is None]
        if elastic:
            yield _near_ceiling(pool, elastic)
        if not node_pools[0].pool.dra:  # no metric shows who uses claimed cards
            yield _low_use(pool, node_pools, settings.use_target_percent)
        for node_pool in node_pools:
            if node_pool.replicas is not None:
                yield _short(node_pool, node_pool.replicas)
            if not node_pool.pool.dra:
                yield _advertises(node_pool)


def _near_ceiling(pool: str, elastic: Sequence[PlannedNodePool]) -> Alert:
    named = "|".join(node_pool.name for node_pool in elastic)
    resource = karpenter_resource(unit_resource(elastic[0].pool))
    of_pool = (f'nodepool=~"{named}"', f'resource_type="{resource}"')
    used = selected("karpenter_nodepools_usage", *of_pool)
    ceiling = selected("karpenter_nodepools_limit", *of_pool)
    return Alert(
        "GpuPoolNearCeiling",
        expr=f"sum({used}) / sum({ceiling}) > {_NEAR}",
        for_minutes=15,
        severity=AlertSeverity.TICKET,
        summary=f"the pool {pool} uses {_PERCENT} of its ceiling",
        description=(
            "Pods that ask for more cards will wait."
            " Raise the pool's ceiling_cards, or see in the board GPU teams which namespaces use the cards."
        ),
        labels={"pool": pool},
        look=(
            "kubectl get nodepools",
            *_NODES_AND_PODS,
        ),
    )


def _low_use(pool: str, nodepools: Sequence[PlannedNodePool], target_percent: int) -> Alert:
    named = "|".join(nodepool.name for nodepool in nodepools)
    busy = selected("DCGM_FI_PROF_GR_ENGINE_ACTIVE", f'nodepool=~"{named}"')
    return Alert(
        "GpuUseLow",
        expr=f"avg(avg_over_time({busy}[1h])) < {target_percent / 100}",
        for_minutes=120,
        severity=AlertSeverity.NOTE,
        summary=(
            f"the cards of the pool {pool} are busy {_PERCENT} of the time, below the target of {target_percent} %"
        ),
        description=(
            "The cards are billed and mostly idle."
            " `gpuplatform share` says which way of sharing costs less;"
            " the board GPU teams shows whose pods hold the cards."
        ),
        labels={"pool": pool},
        look=(
            *_NODES_AND_PODS,
            "gpuplatform share --help",
        ),
    )


def _short(nodepool: PlannedNodePool, replicas: int) -> Alert:
    ready = f"sum({IS_READY} * on (node) group_left () {nodes_of(nodepool)}) or vector(0)"
    return Alert(
        "StaticPoolShort",
        expr=f"({ready}) < {replicas}",
        for_minutes=15,
        severity=AlertSeverity.PAGE,
        summary=f"{nodepool.name} has {_VALUE} ready nodes of {replicas}",
        description=(
            "Jobs that need these nodes wait."
            " Their zone has no capacity, or a reservation ended."
            " Karpenter's events name the cause; for a managed node group, its health does."
        ),
        labels={"pool": nodepool.pool.name, "nodepool": nodepool.name},
        look=(
            "kubectl -n kube-system logs deploy/karpenter --since=30m | grep -i error",
            "kubectl get nodeclaims",
            "kubectl get events -A --field-selector reason=FailedScheduling",
            "aws eks describe-nodegroup --cluster-name CLUSTER --nodegroup-name NODEPOOL --query nodegroup.health",
        ),
    )


def _advertises(nodepool: PlannedNodePool) -> Alert:
    """An alert for nodes that offer fewer units than their type has; nothing else shows that a plugin failed.

    A node on which the plugin never started has no such series at all: it counts as offering none.
    """
    resource = sanitized(unit_resource(nodepool.pool))
    allocatable = selected("kube_node_status_allocatable", f'resource="{resource}"')
    offers = f"max by (node) ({allocatable})"
    terms: list[str] = []
    for instance_type in nodepool.types:
        there = f"max by (node) ({nodes_of(nodepool, instance_type.name)})"
        expected = instance_type.cards * nodepool.units_per_card
        terms.append(f"(({offers} * {there} or {there} * 0) < {expected})")
    return Alert(
        "GpuPluginShort",
        expr=" or ".join(terms),
        for_minutes=15,
        severity=AlertSeverity.TICKET,
        summary=(
            f"{_NODE} of {nodepool.name} offers {_VALUE} {unit_resource(nodepool.pool)},"
            " fewer than its instance type has"
        ),
        description=(
            "A card has failed, or the device plugin or the MIG manager has not finished."
            " Read their logs on the node, then check the card for XIDs."
            " Delete the NodeClaim if the alert stays."
        ),
        labels={"pool": nodepool.pool.name, "nodepool": nodepool.name},
        look=(
            on_the_node("logs", "nvidia-device-plugin-daemonset", "--tail=100"),
            "kubectl describe node NODE",
        ),
    )
