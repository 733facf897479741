"""The platform's own pods, as charts make them of our values, and whether each can stand where it is meant to."""

from gpuplatform.proofs.workloads.faults import faults
from gpuplatform.proofs.workloads.made import Made, made, value_at
from gpuplatform.proofs.workloads.nodes import NodeKind, node_kinds, obstacles, stands

__all__ = ["Made", "NodeKind", "faults", "made", "node_kinds", "obstacles", "stands", "value_at"]
