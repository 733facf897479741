"""The cost of a stack: its bill, its teams' parts of it, and the limits of the settings."""

from gpuplatform.analysis.cost.advice import TREE, Branch, CostAdvice, advice
from gpuplatform.analysis.cost.bill import PLATFORM, Bill, Line, bill, instance_types_of
from gpuplatform.analysis.cost.difference import Difference, Moved, difference
from gpuplatform.analysis.cost.teams import TeamLine, Unpromised, faults, team_lines, unpromised

__all__ = [
    "PLATFORM",
    "TREE",
    "Bill",
    "Branch",
    "CostAdvice",
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
