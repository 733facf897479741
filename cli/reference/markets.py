"""Which market for which work, on one page."""

from __future__ import annotations

from cli.reference.markdown import code, generated, table
from gpuplatform.proofs.cost import TREE

_ABOUT = """
How a card is bought decides the bill before anything else does. Find the work, take the market.

"""
_BELOW = """
How a card is shared comes second: `gpuplatform share` prices every way of sharing for one pod, the host's CPU and
memory included, and says when a whole small card is cheaper than a slice of a large one. `gpuplatform cost` prints
what the pools of a stack cost, and which of them buy otherwise than this page says.
"""


def page() -> str:
    """The page ``markets.md``."""
    rows = ((each.work, code(each.purpose.value), each.markets, each.why) for each in TREE)
    return "".join(
        (
            generated("Which market for which work", "gpuplatform/proofs/cost/advice.py"),
            _ABOUT,
            table(("work", "purpose", "market", "because"), rows),
            _BELOW,
        )
    )
