"""Alerts about cards: errors by class, memory that wears out, cards that are slowed down, links."""

from __future__ import annotations

from dataclasses import replace

from gpuplatform.render.monitoring.alert import Alert, AlertSeverity, on_the_node
from gpuplatform.render.monitoring.names import selected

_OF_CARD = "node, nodepool, gpu_model, gpu, UUID"
# XID numbers and what they mean: NVIDIA's catalog of XID errors (docs.nvidia.com/deploy/xid-errors), read 2026-11-21.
_FALLEN = (79,)
_FATAL = (62, 95, 119, 120)
_HARDWARE = (48, 63, 64, 74, 92, 94)
_APPLICATION = (13, 31, 43, 45)

_XID = "{{ $labels.xid }}"
_WHERE = "card {{ $labels.gpu }} of {{ $labels.node }} ({{ $labels.nodepool }}, {{ $labels.gpu_model }})"
_REPLACE = (
    "Cordon the node, let its work finish or checkpoint, then delete its NodeClaim: Karpenter launches another node."
    " If two cards of one node fail within a week, report the instance to AWS."
)
_LOOK = (
    "kubectl get node NODE --show-labels",
    on_the_node("exec", "nvidia-dcgm-exporter", "-- nvidia-smi -q"),
    "kubectl get pods -A -o wide --field-selector spec.nodeName=NODE",
    "kubectl cordon NODE",
    "kubectl get nodeclaims -o wide",
    "kubectl delete nodeclaim NODECLAIM",
)


def card_alerts() -> tuple[Alert, ...]:
    """Every alert about the health of single cards."""
    alerts = (*_xid_alerts(), *_memory_alerts(), *_throttling_alerts(), _nvlink_alert())
    return tuple(replace(alert, look=_LOOK) for alert in alerts)


def _xid_alerts() -> tuple[Alert, ...]:
    """Errors that the driver reports by number."""
    return (
        _xid(
            "GpuFallenOffBus",
            _FALLEN,
            severity=AlertSeverity.PAGE,
            summary=f"{_WHERE} has fallen off the bus",
            description=_REPLACE,
        ),
        _xid(
            "GpuXidFatal",
            _FATAL,
            severity=AlertSeverity.PAGE,
            summary=f"{_WHERE} stopped with XID {_XID}",
            description=_REPLACE,
        ),
        _xid(
            "GpuXidHardware",
            _HARDWARE,
            severity=AlertSeverity.TICKET,
            summary=f"{_WHERE} reports XID {_XID}, a fault of the hardware",
            description=f"Check the card's row remaps and double-bit errors. {_REPLACE}",
        ),
        _xid(
            "GpuXidApplication",
            _APPLICATION,
            severity=AlertSeverity.NOTE,
            summary=f"work on {_WHERE} ended with XID {_XID}",
            description=(
                "Usually the program is at fault."
                " If it happens on many cards that run one image, tell its team;"
                " if on one card only, watch that card."
            ),
        ),
    )


def _memory_alerts() -> tuple[Alert, ...]:
    """Memory that wears out."""
    return (
        Alert(
            "GpuRowRemapPending",
            expr=f"max by ({_OF_CARD}) (DCGM_FI_DEV_ROW_REMAP_PENDING) > 0",
            for_minutes=0,
            severity=AlertSeverity.TICKET,
            summary=f"a memory row of {_WHERE} waits to be remapped",
            description=(
                "A reset of the card replaces the row. Drain the node when its work allows, and delete its NodeClaim."
            ),
        ),
        Alert(
            "GpuRowRemapFailed",
            expr=f"max by ({_OF_CARD}) (DCGM_FI_DEV_ROW_REMAP_FAILURE) > 0",
            for_minutes=0,
            severity=AlertSeverity.PAGE,
            summary=f"{_WHERE} has no spare memory row left",
            description=_REPLACE,
        ),
        Alert(
            "GpuDoubleBitError",
            expr=f"sum by ({_OF_CARD}) (increase(DCGM_FI_DEV_ECC_DBE_VOL_TOTAL[10m])) > 0",
            for_minutes=0,
            severity=AlertSeverity.PAGE,
            summary=f"{_WHERE} read memory that it could not correct",
            description=f"The work on this card has failed, or its results are wrong. {_REPLACE}",
        ),
    )


def _throttling_alerts() -> tuple[Alert, ...]:
    """Cards that run slower than they could; the counters of lost time are in nanoseconds."""
    return (
        Alert(
            "GpuThermalThrottled",
            expr=f"sum by ({_OF_CARD}) (rate(DCGM_FI_DEV_THERMAL_VIOLATION[5m])) / 1e9 > 0.1",
            for_minutes=10,
            severity=AlertSeverity.TICKET,
            summary=f"{_WHERE} is throttled because of heat more than a tenth of the time",
            description=(
                "AWS is responsible for the cooling of the host."
                " Delete the NodeClaim when the work allows; report the instance to AWS if it happens again."
            ),
        ),
        Alert(
            "GpuPowerThrottled",
            expr=f"sum by ({_OF_CARD}) (rate(DCGM_FI_DEV_POWER_VIOLATION[5m])) / 1e9 > 0.5",
            for_minutes=30,
            severity=AlertSeverity.NOTE,
            summary=f"{_WHERE} is held back by its power limit more than half of the time",
            description=(
                "This is usual under full load."
                " Where throughput matters, compare the card with another one of the pool."
            ),
        ),
    )


def _nvlink_alert() -> Alert:
    """Links between cards that lose data."""
    corrupted = "increase(DCGM_FI_DEV_NVLINK_CRC_DATA_ERROR_COUNT_TOTAL[15m])"
    recovered = "increase(DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL[15m])"
    return Alert(
        "GpuNvlinkErrors",
        expr=f"sum by ({_OF_CARD}) ({corrupted} + {recovered}) > 0",
        for_minutes=0,
        severity=AlertSeverity.TICKET,
        summary=f"an NVLink of {_WHERE} loses data",
        description=f"Training across the cards of this node slows down or hangs. {_REPLACE}",
    )


def _xid(name: str, codes: tuple[int, ...], *, severity: AlertSeverity, summary: str, description: str) -> Alert:
    """The exporter counts XIDs of its last five minutes by code, so an alert ends by itself."""
    among = "|".join(map(str, codes))
    reported = selected("DCGM_EXP_XID_ERRORS_COUNT", f'xid=~"{among}"')
    expr = f"max by ({_OF_CARD}, xid) ({reported}) > 0"
    return Alert(name, expr=expr, for_minutes=0, severity=severity, summary=summary, description=description)
