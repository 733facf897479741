"""A table on the terminal: columns are as wide as their cells, numbers are aligned to the right."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

RUNS = 5
"""The number of runs; the median of each figure is printed."""


def middle(seconds: Sequence[float]) -> float:
    """The median, which a noisy neighbour changes least."""
    return median(seconds)


def show(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]], notes: Sequence[str] = ()) -> None:
    """Print one table; the first column is text, the others are aligned to the right."""
    widths = [max(len(row[column]) for row in [heads, *rows]) for column in range(len(heads))]
    print(f"\n{title}")
    for row in [heads, *rows]:
        first, *others = [
            cell.ljust(width) if not column else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        print("  " + "  ".join([first, *others]).rstrip())
    for note in notes:
        print(f"  {note}")
