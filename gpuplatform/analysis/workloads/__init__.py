"""The platform's own pods, as charts make them of the platform's values, and the check that each finds its node."""

from gpuplatform.analysis.workloads.faults import faults
from gpuplatform.analysis.workloads.made import Made, made, value_at
from gpuplatform.analysis.workloads.nodes import NodeKind, node_kinds, obstacles, stands

__all__ = ["Made", "NodeKind", "faults", "made", "node_kinds", "obstacles", "stands", "value_at"]
