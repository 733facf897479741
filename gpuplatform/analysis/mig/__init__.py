"""Whether a card can hold a MIG layout: an exact search over the slices at which each profile may start.

The sum of the numbers before ``g`` is not enough: two ``3g`` and one ``1g`` make seven, but no seven-slice card can
hold them, because each ``3g`` covers four of the eight memory slices.
"""

from gpuplatform.analysis.mig.layout import Layout, Placed
from gpuplatform.analysis.mig.listing import largest_uniform, legal_layouts, maximal_layouts
from gpuplatform.analysis.mig.node import NodeEntry, node_faults
from gpuplatform.analysis.mig.proof import Proof, layout_fault, prove

__all__ = [
    "Layout",
    "NodeEntry",
    "Placed",
    "Proof",
    "largest_uniform",
    "layout_fault",
    "legal_layouts",
    "maximal_layouts",
    "node_faults",
    "prove",
]
