"""Which market suits which work, on one page."""

from __future__ import annotations

from cli.reference.markdown import code, generated, table
from gpuplatform.analysis.cost import TREE

_ABOUT = """
How a card is bought decides the bill before anything else does. Find your work in the table, and buy on its market.

"""
_BELOW = """
How a card is shared comes second: `gpuplatform share` prices every way of sharing for one pod, the host's CPU and
memory included, and says when a whole small card is cheaper than a slice of a large one. `gpuplatform cost` prints
what the pools of a stack cost, and which pools do not follow this page.
"""


def page() -> str:
    """The page ``markets.md``."""
    rows = ((branch.work, code(branch.purpose.value), branch.markets, branch.why) for branch in TREE)
    return "".join(
        (
            generated("Which market for which work", "gpuplatform/analysis/cost/advice.py"),
            _ABOUT,
            table(("work", "purpose", "market", "because"), rows),
            _BELOW,
        )
    )
