"""Alerts about pods, nodes and controllers of the whole cluster (M5, N27)."""

from __future__ import annotations

from gpuplatform.render.monitoring.alert import Alert, Severity, on_the_node
from gpuplatform.render.monitoring.names import node_label
from gpuplatform.render.monitoring.parts import ASKING, grown
from gpuplatform.settings.monitoring import Monitoring
from gpuplatform.standard import keys, labels

_GPU_NODE = f'kube_node_labels{{{node_label(labels.VENDOR.key)}="nvidia"}}'
_NO_CAPACITY = (
    ".*InsufficientInstanceCapacity.*|UnfulfillableCapacity|MaxSpotInstanceCountExceeded|.*ReservationCapacity.*"
)
_FAILURES = "karpenter_cloudprovider_instance_launch_failures_total"
_MESSAGES = "karpenter_interruption_received_messages_total"
_PODS = "kubectl -n {{ $labels.namespace }} describe pod {{ $labels.pod }}"


def cluster_alerts(settings: Monitoring) -> tuple[Alert, ...]:
    """Alerts that speak of one pod, node or controller, whichever pool it is of."""
    minutes = settings.pending_alert_minutes
    return (
        Alert(
            "GpuPodUnschedulable",
            f"max by (namespace, pod) (kube_pod_status_unschedulable == 1) and on (namespace, pod) {ASKING}",
            minutes,
            Severity.TICKET,
            "{{ $labels.namespace }}/{{ $labels.pod }} asks for cards and finds no node",
            f"`gpuplatform pods FILE --stack NAME` says what keeps it from the pool it names. {_PODS} has"
            f" Karpenter's own"
            " words: a ceiling reached, no capacity, or a selection that no pool answers.",
            look=(
                "kubectl -n NAMESPACE describe pod POD",
                "gpuplatform pods FILE --stack NAME",
                "kubectl get nodepools",
            ),
        ),
        Alert(
            "GpuPodNotStarting",
            "max by (namespace, pod, reason)"
            ' (kube_pod_container_status_waiting_reason{reason!="ContainerCreating"} == 1)'
            f" and on (namespace, pod) {ASKING}",
            minutes,
            Severity.TICKET,
            "{{ $labels.namespace }}/{{ $labels.pod }} has cards and does not start: {{ $labels.reason }}",
            f"Cards are paid for meanwhile. {_PODS} says more: an image that is not there, or a program that ends"
            f" at once.",
            look=(
                "kubectl -n NAMESPACE describe pod POD",
                "kubectl -n NAMESPACE logs POD --previous",
            ),
        ),
        Alert(
            "NodeLaunchFailing",
            grown(f'{_FAILURES}{{reason!~"{_NO_CAPACITY}"}}', "reason, zone, capacity_type", "15m") + " > 3",
            0,
            Severity.PAGE,
            "nodes cannot be launched in {{ $labels.zone }} ({{ $labels.capacity_type }}): {{ $labels.reason }}",
            "Not a lack of capacity: a quota of the account, a permission, an image or a subnet. Karpenter's log"
            " names it.",
            look=(
                "kubectl -n kube-system logs deploy/karpenter --since=30m | grep -i error",
                "kubectl get nodeclaims",
                "kubectl get events -A --field-selector reason=FailedScheduling",
            ),
        ),
        Alert(
            "CapacityInsufficient",
            grown(f'{_FAILURES}{{reason=~"{_NO_CAPACITY}"}}', "zone, capacity_type", "30m") + " > 5",
            0,
            Severity.TICKET,
            "AWS lacks capacity in {{ $labels.zone }} ({{ $labels.capacity_type }})",
            "Pools with more types, zones or a market behind this one go on. The board GPU pools shows launches that"
            " failed by reason, zone and market, Karpenter's log of which types; an EC2 quota of zero looks the same.",
            look=(
                "kubectl -n kube-system logs deploy/karpenter --since=30m | grep -i error",
                "kubectl get nodeclaims",
                "kubectl get events -A --field-selector reason=FailedScheduling",
                "kubectl get nodepools",
            ),
        ),
        Alert(
            "SpotInterruptionStorm",
            grown(f'{_MESSAGES}{{message_type="spot_interrupted"}}', "", "10m") + " > 5",
            0,
            Severity.TICKET,
            "AWS takes back {{ $value | humanize }} spot nodes within ten minutes",
            "Serving falls back to on demand while its ceilings have room: look at pods that wait. Nothing to undo.",
            look=(
                "kubectl get nodeclaims",
                "kubectl get events -A --field-selector reason=FailedScheduling",
            ),
        ),
        Alert(
            "GpuNodeNotReady",
            'max by (node) (kube_node_status_condition{condition="Ready",status="true"} == 0)'
            f" and on (node) {_GPU_NODE}",
            10,
            Severity.PAGE,
            "{{ $labels.node }} has cards and is not ready",
            "Karpenter repairs it where node repair is on; else delete its NodeClaim. Its pods are gone after"
            " five minutes.",
            look=(
                "kubectl describe node NODE",
                "kubectl get nodeclaims -o wide",
                "kubectl -n gpu-operator get pods -o wide --field-selector spec.nodeName=NODE",
            ),
        ),
        Alert(
            "MigPartitionFailed",
            f'max by (node) (kube_node_labels{{{node_label(keys.MIG_CONFIG_STATE)}="failed"}}) == 1',
            5,
            Severity.TICKET,
            "the cards of {{ $labels.node }} could not be cut as its pool says",
            "The log of the MIG manager on the node names the card and the step. Delete the NodeClaim; if the"
            " next one fails"
            " too, `gpuplatform mig` says whether the card can make the layout.",
            look=(
                on_the_node("logs", "nvidia-mig-manager", "--tail=100"),
                "kubectl describe node NODE",
            ),
        ),
        Alert(
            "KarpenterDown",
            'kube_deployment_status_replicas_available{namespace="kube-system",deployment="karpenter"} < 1',
            5,
            Severity.PAGE,
            "no replica of Karpenter runs: no node is made, replaced or given back",
            "kubectl -n kube-system get pods -l app.kubernetes.io/name=karpenter; it runs on the system nodes alone.",
            look=(
                "kubectl -n kube-system get pods -l app.kubernetes.io/name=karpenter",
                "kubectl -n kube-system describe deploy karpenter",
            ),
        ),
        Alert(
            "GpuOperatorDown",
            'kube_deployment_status_replicas_available{namespace="gpu-operator",deployment="gpu-operator"} < 1',
            15,
            Severity.TICKET,
            "the GPU Operator does not run: new nodes offer no cards",
            "kubectl -n gpu-operator get pods; nodes that run already go on.",
            look=(
                "kubectl -n gpu-operator get pods",
                "kubectl -n gpu-operator describe deploy gpu-operator",
            ),
        ),
        Alert(
            "DriftHeldBack",
            'max by (name) (operator_nodeclaim_status_condition_current_status_seconds{type="Drifted",status="True"})'
            f" > {settings.drift_alert_days} * 86400",
            60,
            Severity.TICKET,
            f"{{{{ $labels.name }}}} runs on an old template for more than {settings.drift_alert_days} days",
            "Its pool's budgets have not let it go, or a pod on it may not be disturbed. Open a window, or drain"
            " the node.",
            look=(
                "kubectl get nodeclaims -o wide",
                "gpuplatform calendar --stack NAME",
                "kubectl get events -A --field-selector reason=DisruptionBlocked",
            ),
        ),
    )
