"""Quotas compared with the pools' ceilings, the spread of the largest jobs, and the vCPU quotas that AWS must grant."""

from __future__ import annotations

from gpuplatform.analysis.capacity.faults import faults
from gpuplatform.analysis.capacity.lines import CapacityLine, PoolOffer, capacity_lines
from gpuplatform.analysis.capacity.spans import Span, VcpuNeed, spans, vcpu_needs

__all__ = ["CapacityLine", "PoolOffer", "Span", "VcpuNeed", "capacity_lines", "faults", "spans", "vcpu_needs"]
