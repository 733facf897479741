"""What a stack costs: its bill, its teams' shares, and the limits that it keeps."""

from gpuplatform.proofs.cost.advice import TREE, Advice, Branch, advice
from gpuplatform.proofs.cost.bill import PLATFORM, Bill, Line, bill, instance_types_of
from gpuplatform.proofs.cost.difference import Difference, Moved, difference
from gpuplatform.proofs.cost.limits import faults
from gpuplatform.proofs.cost.teams import TeamLine, Unpromised, team_lines, unpromised

__all__ = [
    "PLATFORM",
    "TREE",
    "Advice",
    "Bill",
    "Branch",
    "Difference",
    "Line",
    "Moved",
    "TeamLine",
    "Unpromised",
    "advice",
    "bill",
    "difference",
    "faults",
    "instance_types_of",
    "team_lines",
    "unpromised",
]
