"""Tables for a terminal: columns of equal width, figures to the right."""

from __future__ import annotations

from collections.abc import Sequence

_BETWEEN_DIGITS = str.maketrans("", "", ",.- →")


def text_table(rows: Sequence[Sequence[str]], indent: str = "") -> list[str]:
    """One line a row, cells two spaces apart; a figure such as ``1,200`` or ``0.25`` is aligned to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        (indent + "  ".join(_cell(cell, width) for cell, width in zip(row, widths, strict=True))).rstrip()
        for row in rows
    ]


def _cell(cell: str, width: int) -> str:
    is_figure = cell.translate(_BETWEEN_DIGITS).isdecimal()
    return cell.rjust(width) if is_figure else cell.ljust(width)
