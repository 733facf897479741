"""Whether a card can be cut as declared: an exact search over the places where each MIG profile may start.

Adding up the numbers before ``g`` is not enough: two ``3g`` and one ``1g`` make seven, and no seven-slice card holds
them, because each ``3g`` covers four of the eight memory slices.
"""

from gpuplatform.proofs.mig.layout import Layout, Placed
from gpuplatform.proofs.mig.listing import largest_uniform, legal_layouts, maximal_layouts
from gpuplatform.proofs.mig.node import NodeEntry, node_faults
from gpuplatform.proofs.mig.proof import Proof, layout_fault, prove

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
