"""A board as a picture: what its queries answered over a time, in plain SVG."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

from gpuplatform.render.monitoring.panels import Board, Panel, Unit

_WIDTH, _HEIGHT, _COLUMNS, _HEAD = 470, 250, 2, 64
_LEFT, _RIGHT, _TOP, _BOTTOM = 44, 14, 46, 46
_TICKS = 4
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
"""Okabe and Ito's palette, which colour-blind people can tell apart."""
_STYLE = "text{font:12px sans-serif;fill:#333}.title{font-size:14px;font-weight:bold}.small{font-size:11px;fill:#666}"


@dataclass(frozen=True, slots=True)
class Line:
    """One series of a panel."""

    legend: str
    points: Sequence[tuple[float, float]]
    """Seconds since the epoch, and the value."""


def drawn(board: Board, lines: Mapping[str, Sequence[Line]], begin: datetime.datetime, end: datetime.datetime) -> str:
    """The picture of a board whose panels, by title, have these lines."""
    rows = -(-len(board.panels) // _COLUMNS)
    width, height = _COLUMNS * _WIDTH, _HEAD + rows * _HEIGHT
    panels = [
        f'<g transform="translate({number % _COLUMNS * _WIDTH},{_HEAD + number // _COLUMNS * _HEIGHT})">'
        f"{_panel(panel, lines[panel.title], begin.timestamp(), end.timestamp())}</g>"
        for number, panel in enumerate(board.panels)
    ]
    head = _text(16, 26, board.title, "title") + _text(16, 46, board.description, "small")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">\n'
        f"<title>{escape(board.title)}</title>\n<style>{_STYLE}</style>\n"
        f'<rect width="{width}" height="{height}" fill="#fff"/>\n{head}\n' + "\n".join(panels) + "\n</svg>\n"
    )


def _panel(panel: Panel, lines: Sequence[Line], begin: float, end: float) -> str:
    right, bottom = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM
    most = _ceiling(max((value for line in lines for _, value in line.points), default=1), panel.unit)

    def x(at: float) -> float:
        return round(_LEFT + (at - begin) / (end - begin) * (right - _LEFT), 1)

    def y(value: float) -> float:
        return round(bottom - value / most * (bottom - _TOP), 1)

    parts = [_text(16, 18, panel.title, "title"), _text(16, 34, panel.description, "small")]
    for tick in range(_TICKS + 1):
        value = most * tick / _TICKS
        parts.append(f'<path d="M{_LEFT} {y(value)}H{right}" stroke="#ddd"/>')
        parts.append(_text(_LEFT - 6, y(value) + 4, _written(value, panel.unit), "small", "end"))
    for hour in range(int(begin), int(end) + 1, 3600):
        time_of_day = datetime.datetime.fromtimestamp(hour, datetime.UTC).strftime("%H:%M")
        parts.append(_text(x(hour), bottom + 15, time_of_day, "small", "middle"))
    place = _LEFT
    for line, colour in zip(lines, _COLOURS, strict=False):
        path = "".join(
            f"{'L' if number else 'M'}{x(at)} {y(value)}" for number, (at, value) in enumerate(_corners(line.points))
        )
        parts.append(f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts.append(f'<rect x="{place}" y="{bottom + 26}" width="10" height="10" fill="{colour}"/>')
        parts.append(_text(place + 14, bottom + 35, line.legend))
        place += 34 + 7 * len(line.legend)
    return "".join(parts)


def _corners(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """The points at which something changes, and the ends."""
    last = len(points) - 1
    return [
        point
        for number, point in enumerate(points)
        if number in (0, last) or not points[number - 1][1] == point[1] == points[number + 1][1]
    ]


def _ceiling(most: float, unit: Unit) -> float:
    """The top of the axis: all of it for a ratio, else a number that the ticks divide."""
    if unit is Unit.RATIO:
        return 1
    return max(_TICKS, -(-most // _TICKS) * _TICKS)


def _written(value: float, unit: Unit) -> str:
    return f"{value:.0%}" if unit is Unit.RATIO else f"{value:g}"


def _text(x: float, y: float, text: str, style: str = "", anchor: str = "start") -> str:
    kind = f' class="{style}"' if style else ""
    return f'<text x="{x}" y="{y}"{kind} text-anchor="{anchor}">{escape(text)}</text>'
