"""Alerts about cards: errors by class, memory that wears out, heat, links (M5)."""

from __future__ import annotations

from dataclasses import replace

from gpuplatform.render.monitoring.alert import Alert, Severity, on_the_node

_OF_CARD = "node, nodepool, gpu_model, gpu, UUID"
_FALLEN = (79,)
_FATAL = (62, 95, 119, 120)
_HARDWARE = (48, 63, 64, 74, 92, 94)
_APPLICATION = (13, 31, 43, 45)
# XID numbers and what they mean: NVIDIA's catalogue of XID errors (docs.nvidia.com/deploy/xid-errors), read 2026-11-21.
_WHERE = "card {{ $labels.gpu }} of {{ $labels.node }} ({{ $labels.nodepool }}, {{ $labels.gpu_model }})"
_REPLACE = (
    "Cordon the node, let its work finish or checkpoint, then delete its NodeClaim: Karpenter makes another."
    " Two such cards on one node within a week: report the instance to AWS."
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
    return tuple(replace(each, look=_LOOK) for each in _alerts())


def _alerts() -> tuple[Alert, ...]:
    return (
        _xid("GpuFallenOffBus", _FALLEN, Severity.PAGE, f"{_WHERE} has fallen off the bus", _REPLACE),
        _xid("GpuXidFatal", _FATAL, Severity.PAGE, f"{_WHERE} stopped with XID {{{{ $labels.xid }}}}", _REPLACE),
        _xid(
            "GpuXidHardware",
            _HARDWARE,
            Severity.TICKET,
            f"{_WHERE} reports XID {{{{ $labels.xid }}}}, a fault of the hardware",
            "Look at the row remaps and double-bit errors of the card. " + _REPLACE,
        ),
        _xid(
            "GpuXidApplication",
            _APPLICATION,
            Severity.NOTE,
            f"work on {_WHERE} ended with XID {{{{ $labels.xid }}}}",
            "A fault of the program as a rule. The same on many cards of one image: tell its team; on one card:"
            " watch it.",
        ),
        Alert(
            "GpuRowRemapPending",
            f"max by ({_OF_CARD}) (DCGM_FI_DEV_ROW_REMAP_PENDING) > 0",
            0,
            Severity.TICKET,
            f"a memory row of {_WHERE} waits to be remapped",
            "The row is out of use after a reset of the card: drain the node when its work allows, and delete"
            " its NodeClaim.",
        ),
        Alert(
            "GpuRowRemapFailed",
            f"max by ({_OF_CARD}) (DCGM_FI_DEV_ROW_REMAP_FAILURE) > 0",
            0,
            Severity.PAGE,
            f"{_WHERE} has no spare memory row left",
            _REPLACE,
        ),
        Alert(
            "GpuDoubleBitError",
            f"sum by ({_OF_CARD}) (increase(DCGM_FI_DEV_ECC_DBE_VOL_TOTAL[10m])) > 0",
            0,
            Severity.PAGE,
            f"{_WHERE} read memory that it could not correct",
            "What ran there has failed or is wrong. " + _REPLACE,
        ),
        Alert(
            "GpuThermalThrottled",
            f"sum by ({_OF_CARD}) (rate(DCGM_FI_DEV_THERMAL_VIOLATION[5m])) / 1e9 > 0.1",
            10,
            Severity.TICKET,
            f"{_WHERE} is throttled for heat more than a tenth of the time",
            "The host's cooling is AWS's: delete the NodeClaim when the work allows; report an instance that"
            " does it again.",
        ),
        Alert(
            "GpuPowerThrottled",
            f"sum by ({_OF_CARD}) (rate(DCGM_FI_DEV_POWER_VIOLATION[5m])) / 1e9 > 0.5",
            30,
            Severity.NOTE,
            f"{_WHERE} is held back by its power limit more than half of the time",
            "Usual under full load. Where throughput matters, compare it with another card of the pool.",
        ),
        Alert(
            "GpuNvlinkErrors",
            f"sum by ({_OF_CARD}) (increase(DCGM_FI_DEV_NVLINK_CRC_DATA_ERROR_COUNT_TOTAL[15m])"
            " + increase(DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL[15m])) > 0",
            0,
            Severity.TICKET,
            f"a link of {_WHERE} loses data",
            "Training across the cards of this node slows down or hangs. " + _REPLACE,
        ),
    )


def _xid(name: str, codes: tuple[int, ...], severity: Severity, summary: str, description: str) -> Alert:
    """The exporter counts XIDs of its last five minutes by code, so an alert ends by itself."""
    among = "|".join(map(str, codes))
    expr = f'max by ({_OF_CARD}, xid) (DCGM_EXP_XID_ERRORS_COUNT{{xid=~"{among}"}}) > 0'
    return Alert(name, expr, 0, severity, summary, description)
