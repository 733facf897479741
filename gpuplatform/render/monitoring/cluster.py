"""Alerts about pods, nodes and controllers of the whole cluster."""

from __future__ import annotations

from gpuplatform.render.monitoring.alert import Alert, AlertSeverity, on_the_node
from gpuplatform.render.monitoring.names import ASKING, IS_READY, grown, node_label, selected
from gpuplatform.settings.settings import Monitoring
from gpuplatform.standard import keys, labels

_GPU_NODE = selected("kube_node_labels", f'{node_label(labels.VENDOR.key)}="nvidia"')
_NO_CAPACITY = (
    ".*InsufficientInstanceCapacity.*|UnfulfillableCapacity|MaxSpotInstanceCountExceeded|.*ReservationCapacity.*"
)
_FAILURES = "karpenter_cloudprovider_instance_launch_failures_total"
_MESSAGES = "karpenter_interruption_received_messages_total"
_NOT_STARTING = selected("kube_pod_container_status_waiting_reason", 'reason!="ContainerCreating"')
_DRIFTED_SECONDS = selected(
    "operator_nodeclaim_status_condition_current_status_seconds", 'type="Drifted"', 'status="True"'
)
_SECONDS_PER_DAY = 86_400
_NODECLAIM = "{{ $labels.name }}"
_DESCRIBE_POD = "kubectl -n {{ $labels.namespace }} describe pod {{ $labels.pod }}"
_NODECLAIMS = "kubectl get nodeclaims"
_NODECLAIMS_WIDE = "kubectl get nodeclaims -o wide"
_KARPENTER_ERRORS = "kubectl -n kube-system logs deploy/karpenter --since=30m | grep -i error"
_SCHEDULING_FAILURES = "kubectl get events -A --field-selector reason=FailedScheduling"


def cluster_alerts(settings: Monitoring) -> tuple[Alert, ...]:
    """Alerts about one pod, node or controller, whichever pool it belongs to."""
    return (
        *_pod_alerts(settings.pending_alert_minutes),
        *_launch_alerts(),
        _interruption_alert(),
        *_node_alerts(),
        *_controller_alerts(),
        _drift_alert(settings.drift_alert_days),
    )


def _pod_alerts(minutes: int) -> tuple[Alert, ...]:
    """Pods with cards that have not started after so many minutes."""
    return (
        Alert(
            "GpuPodUnschedulable",
            expr=f"max by (namespace, pod) (kube_pod_status_unschedulable == 1) and on (namespace, pod) {ASKING}",
            for_minutes=minutes,
            severity=AlertSeverity.TICKET,
            summary="{{ $labels.namespace }}/{{ $labels.pod }} asks for cards and finds no node",
            description=(
                "`gpuplatform pods FILE --stack NAME` says what keeps the pod off the pool that it names."
                f" {_DESCRIBE_POD} shows Karpenter's reason:"
                " a ceiling is reached, AWS has no capacity, or no pool answers the pod's selection."
            ),
            look=(
                "kubectl -n NAMESPACE describe pod POD",
                "gpuplatform pods FILE --stack NAME",
                "kubectl get nodepools",
            ),
        ),
        Alert(
            "GpuPodNotStarting",
            expr=f"max by (namespace, pod, reason) ({_NOT_STARTING} == 1) and on (namespace, pod) {ASKING}",
            for_minutes=minutes,
            severity=AlertSeverity.TICKET,
            summary="{{ $labels.namespace }}/{{ $labels.pod }} has cards and does not start: {{ $labels.reason }}",
            description=(
                "The cards are billed meanwhile."
                f" {_DESCRIBE_POD} shows the cause: an image that does not exist, or a program that ends at once."
            ),
            look=(
                "kubectl -n NAMESPACE describe pod POD",
                "kubectl -n NAMESPACE logs POD --previous",
            ),
        ),
    )


def _launch_alerts() -> tuple[Alert, ...]:
    """Nodes that AWS does not give."""
    other_failures = grown(
        selected(_FAILURES, f'reason!~"{_NO_CAPACITY}"'), by="reason, zone, capacity_type", window="15m"
    )
    without_capacity = grown(selected(_FAILURES, f'reason=~"{_NO_CAPACITY}"'), by="zone, capacity_type", window="30m")
    return (
        Alert(
            "NodeLaunchFailing",
            expr=f"{other_failures} > 3",
            for_minutes=0,
            severity=AlertSeverity.PAGE,
            summary=(
                "nodes cannot be launched in {{ $labels.zone }} ({{ $labels.capacity_type }}): {{ $labels.reason }}"
            ),
            description=(
                "The cause is not a lack of capacity, but a quota of the account, a permission, an image or a subnet."
                " Karpenter's log names it."
            ),
            look=(_KARPENTER_ERRORS, _NODECLAIMS, _SCHEDULING_FAILURES),
        ),
        Alert(
            "CapacityInsufficient",
            expr=f"{without_capacity} > 5",
            for_minutes=0,
            severity=AlertSeverity.TICKET,
            summary="AWS lacks capacity in {{ $labels.zone }} ({{ $labels.capacity_type }})",
            description=(
                "Pools that may use other types, zones or markets continue to launch nodes."
                " The board GPU pools shows failed launches by reason, zone and market."
                " Karpenter's log names the instance types; an EC2 quota of zero looks the same."
            ),
            look=(_KARPENTER_ERRORS, _NODECLAIMS, _SCHEDULING_FAILURES, "kubectl get nodepools"),
        ),
    )


def _interruption_alert() -> Alert:
    """Nodes that AWS takes back."""
    interrupted = grown(selected(_MESSAGES, 'message_type="spot_interrupted"'), by="", window="10m")
    return Alert(
        "SpotInterruptionStorm",
        expr=f"{interrupted} > 5",
        for_minutes=0,
        severity=AlertSeverity.TICKET,
        summary="AWS takes back {{ $value | humanize }} spot nodes within ten minutes",
        description=(
            "Serving falls back to on demand while its ceilings have room: look for pods that wait."
            " There is nothing to undo."
        ),
        look=(_NODECLAIMS, _SCHEDULING_FAILURES),
    )


def _node_alerts() -> tuple[Alert, ...]:
    """Nodes with cards that do not work."""
    not_partitioned = selected("kube_node_labels", f'{node_label(keys.MIG_CONFIG_STATE)}="failed"')
    return (
        Alert(
            "GpuNodeNotReady",
            expr=f"max by (node) ({IS_READY} == 0) and on (node) {_GPU_NODE}",
            for_minutes=10,
            severity=AlertSeverity.PAGE,
            summary="{{ $labels.node }} has cards and is not ready",
            description=(
                "Karpenter replaces the node where node repair is on; elsewhere delete its NodeClaim."
                " Kubernetes evicts its pods after five minutes."
            ),
            look=(
                "kubectl describe node NODE",
                _NODECLAIMS_WIDE,
                "kubectl -n gpu-operator get pods -o wide --field-selector spec.nodeName=NODE",
            ),
        ),
        Alert(
            "MigPartitionFailed",
            expr=f"max by (node) ({not_partitioned}) == 1",
            for_minutes=5,
            severity=AlertSeverity.TICKET,
            summary="the cards of {{ $labels.node }} could not be partitioned into their pool's MIG layout",
            description=(
                "The log of the MIG manager on the node names the card and the step."
                " Delete the NodeClaim;"
                " if the next one fails too, `gpuplatform mig` says whether the card can hold the layout."
            ),
            look=(on_the_node("logs", "nvidia-mig-manager", "--tail=100"), "kubectl describe node NODE"),
        ),
    )


def _controller_alerts() -> tuple[Alert, ...]:
    """Controllers that launch nodes and make them offer cards."""
    return (
        Alert(
            "KarpenterDown",
            expr=f"{_replicas('kube-system', 'karpenter')} < 1",
            for_minutes=5,
            severity=AlertSeverity.PAGE,
            summary="no replica of Karpenter runs: no node is launched, replaced or removed",
            description=(
                "Run kubectl -n kube-system get pods -l app.kubernetes.io/name=karpenter."
                " Karpenter runs on the system nodes only."
            ),
            look=(
                "kubectl -n kube-system get pods -l app.kubernetes.io/name=karpenter",
                "kubectl -n kube-system describe deploy karpenter",
            ),
        ),
        Alert(
            "GpuOperatorDown",
            expr=f"{_replicas('gpu-operator', 'gpu-operator')} < 1",
            for_minutes=15,
            severity=AlertSeverity.TICKET,
            summary="the GPU Operator does not run: new nodes offer no cards",
            description="Run kubectl -n gpu-operator get pods. Nodes that run already keep their cards.",
            look=(
                "kubectl -n gpu-operator get pods",
                "kubectl -n gpu-operator describe deploy gpu-operator",
            ),
        ),
    )


def _replicas(namespace: str, deployment: str) -> str:
    """How many replicas of a Deployment are available."""
    return selected(
        "kube_deployment_status_replicas_available", f'namespace="{namespace}"', f'deployment="{deployment}"'
    )


def _drift_alert(days: int) -> Alert:
    """Nodes that have been drifted for more than so many days."""
    return Alert(
        "DriftHeldBack",
        expr=f"max by (name) ({_DRIFTED_SECONDS}) > {days} * {_SECONDS_PER_DAY}",
        for_minutes=60,
        severity=AlertSeverity.TICKET,
        summary=f"{_NODECLAIM} has run on an old template for more than {days} days",
        description=(
            "Its pool's budgets have allowed no replacement, or a pod on it must not be disrupted."
            " Open a window, or drain the node. On a static pool, Karpenter itself may have deleted the replacement:"
            ' its log says "replacement was deleted" (kubernetes-sigs/karpenter issue 3250). Restart Karpenter then.'
        ),
        look=(
            _NODECLAIMS_WIDE,
            "gpuplatform calendar --stack NAME",
            "kubectl get events -A --field-selector reason=DisruptionBlocked",
            "kubectl -n kube-system logs deploy/karpenter | grep 'replacement was deleted'",
        ),
    )
