"""Quotas against what the pools can have, before anything is bought (B5)."""

from __future__ import annotations

from gpuplatform.proofs.capacity.faults import faults
from gpuplatform.proofs.capacity.lines import CapacityLine, Offer, capacity_lines
from gpuplatform.proofs.capacity.spans import Span, spans
from gpuplatform.proofs.capacity.vcpus import VcpuNeed, vcpu_needs

__all__ = ["CapacityLine", "Offer", "Span", "VcpuNeed", "capacity_lines", "faults", "spans", "vcpu_needs"]
