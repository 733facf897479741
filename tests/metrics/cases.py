"""For each alert, samples that fire it, and the one sample that keeps it quiet instead."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

_CARD = 'node="n1",nodepool="worker-a100-80gb-on-demand",gpu_model="A100",gpu="0",UUID="u"'
_POD = 'namespace="ml-training",pod="train-0"'
_WORKER = 'label_karpenter_sh_nodepool="worker-a100-80gb-on-demand"'
_CHIEF = 'label_karpenter_sh_nodepool="chief-h100-80gb-on-demand-us-east-1a"'
_GPU_NODE = 'kube_node_labels{node="n1",label_gpu_vendor="nvidia"}'
_ASKS = f'kube_pod_container_resource_requests{{{_POD},resource="nvidia_com_gpu"}}'


@dataclass(frozen=True, slots=True)
class Case:
    """Samples a minute apart, from minute 0."""

    alert: str
    series: Mapping[str, Sequence[float]]
    minute: int
    """The minute at which the alert fires."""
    spoilt: str
    """The series whose one good sample keeps the alert quiet."""
    at: int
    value: float
    stack: str = "dev"
    """The stack whose rules are tested."""

    @property
    def quiet(self) -> dict[str, list[float]]:
        """The same samples, except the one that keeps the alert quiet."""
        changed = {name: list(samples) for name, samples in self.series.items()}
        changed[self.spoilt][self.at] = self.value
        return changed


def _steady(alert: str, spoilt: str, sample: float, good: float, minutes: int, **others: tuple[str, float]) -> Case:
    """A gauge that is bad all the time, and one good sample on the way."""
    length = minutes + 8
    series = {spoilt: [sample] * length} | {name: [value] * length for name, value in others.values()}
    return Case(alert, series, length - 1, spoilt, minutes // 2 + 5, good)


def _jump(alert: str, series: str, to: float, instead: float, length: int = 10, **others: tuple[str, float]) -> Case:
    """A counter that stands still and jumps at the last sample."""
    samples = {series: [0.0] * (length - 1) + [to]} | {name: [value] * length for name, value in others.values()}
    return Case(alert, samples, length - 1, series, length - 1, instead)


def _climb(alert: str, series: str, per_second: float, minutes: int) -> Case:
    """A counter of nanoseconds that climbs, and one minute in which it does not."""
    length = minutes + 16
    samples = [minute * 60 * per_second for minute in range(length)]
    at = minutes // 2 + 12
    return Case(alert, {series: samples}, length - 1, series, at, samples[at - 1])


def _xid(alert: str, code: int) -> Case:
    return _jump(alert, f'DCGM_EXP_XID_ERRORS_COUNT{{{_CARD},xid="{code}"}}', 1, 0)


CASES: tuple[Case, ...] = (
    _xid("GpuFallenOffBus", 79),
    _xid("GpuXidFatal", 119),
    _xid("GpuXidHardware", 48),
    _xid("GpuXidApplication", 31),
    _jump("GpuRowRemapPending", f"DCGM_FI_DEV_ROW_REMAP_PENDING{{{_CARD}}}", 1, 0),
    _jump("GpuRowRemapFailed", f"DCGM_FI_DEV_ROW_REMAP_FAILURE{{{_CARD}}}", 1, 0),
    _jump("GpuDoubleBitError", f"DCGM_FI_DEV_ECC_DBE_VOL_TOTAL{{{_CARD}}}", 1, 0),
    _climb("GpuThermalThrottled", f"DCGM_FI_DEV_THERMAL_VIOLATION{{{_CARD}}}", 0.105e9, 10),
    _climb("GpuPowerThrottled", f"DCGM_FI_DEV_POWER_VIOLATION{{{_CARD}}}", 0.55e9, 30),
    _jump(
        "GpuNvlinkErrors",
        f"DCGM_FI_DEV_NVLINK_CRC_DATA_ERROR_COUNT_TOTAL{{{_CARD}}}",
        3,
        0,
        recovery=(f"DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL{{{_CARD}}}", 0),
    ),
    _steady("GpuPodUnschedulable", f"kube_pod_status_unschedulable{{{_POD}}}", 1, 0, 15, asks=(_ASKS, 1)),
    _steady(
        "GpuPodNotStarting",
        f'kube_pod_container_status_waiting_reason{{{_POD},reason="ImagePullBackOff"}}',
        1,
        0,
        15,
        asks=(_ASKS, 1),
    ),
    _jump(
        "NodeLaunchFailing",
        "karpenter_cloudprovider_instance_launch_failures_total"
        '{reason="UnauthorizedOperation",zone="us-east-1a",capacity_type="spot"}',
        6,
        1,
    ),
    _jump(
        "CapacityInsufficient",
        "karpenter_cloudprovider_instance_launch_failures_total"
        '{reason="InsufficientInstanceCapacity",zone="us-east-1a",capacity_type="spot"}',
        9,
        1,
    ),
    _jump(
        "SpotInterruptionStorm",
        'karpenter_interruption_received_messages_total{message_type="spot_interrupted"}',
        9,
        1,
    ),
    _steady(
        "GpuNodeNotReady",
        'kube_node_status_condition{node="n1",condition="Ready",status="true"}',
        0,
        1,
        10,
        labels=(_GPU_NODE, 1),
    ),
    _steady("MigPartitionFailed", 'kube_node_labels{node="n1",label_nvidia_com_mig_config_state="failed"}', 1, 0, 5),
    _steady(
        "KarpenterDown",
        'kube_deployment_status_replicas_available{namespace="kube-system",deployment="karpenter"}',
        0,
        1,
        5,
    ),
    _steady(
        "GpuOperatorDown",
        'kube_deployment_status_replicas_available{namespace="gpu-operator",deployment="gpu-operator"}',
        0,
        1,
        15,
    ),
    _steady(
        "DriftHeldBack",
        'operator_nodeclaim_status_condition_current_status_seconds{name="c1",type="Drifted",status="True"}',
        31 * 86400,
        0,
        60,
    ),
    _steady(
        "GpuPoolNearCeiling",
        'karpenter_nodepools_usage{nodepool="worker-a100-80gb-on-demand",resource_type="nvidia.com/mig_1g.10gb"}',
        112,
        56,
        15,
        limit=(
            'karpenter_nodepools_limit{nodepool="worker-a100-80gb-on-demand",resource_type="nvidia.com/mig_1g.10gb"}',
            112,
        ),
    ),
    Case(
        "GpuUseLow",
        {f"DCGM_FI_PROF_GR_ENGINE_ACTIVE{{{_CARD}}}": [0.299] * 200},
        199,
        f"DCGM_FI_PROF_GR_ENGINE_ACTIVE{{{_CARD}}}",
        150,
        1.0,
    ),
    _steady(
        "StaticPoolShort",
        'kube_node_status_condition{node="n1",condition="Ready",status="true"}',
        0,
        1,
        15,
        labels=(f'kube_node_labels{{node="n1",{_CHIEF}}}', 1),
    ),
    _steady(
        "GpuPluginShort",
        'kube_node_status_allocatable{node="n1",resource="nvidia_com_mig_1g_10gb"}',
        49,
        56,
        15,
        labels=(
            f'kube_node_labels{{node="n1",{_WORKER},label_node_kubernetes_io_instance_type="p4de.24xlarge"}}',
            1,
        ),
    ),
    _jump(
        "TrainingNodeDisrupted",
        'karpenter_nodeclaims_disrupted_total{nodepool="worker-a100-80gb-on-demand",reason="drifted"}',
        1,
        0,
    ),
    _steady(
        "QuotaExhausted",
        'kube_resourcequota{namespace="ml-training",resource="requests.nvidia.com/gpu",type="used"}',
        16,
        15,
        30,
        hard=('kube_resourcequota{namespace="ml-training",resource="requests.nvidia.com/gpu",type="hard"}', 16),
    ),
    replace(
        _jump("QueueWorkEvicted", 'kueue_evicted_workloads_total{cluster_queue="training",reason="Preempted"}', 1, 0),
        stack="prod",
    ),
    replace(
        _steady("QueueWorkWaits", 'kueue_pending_workloads{cluster_queue="training",status="inadmissible"}', 2, 0, 240),
        stack="prod",
    ),
)
