"""Figures that a test found: said at the end of the run, whichever worker ran it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

FIGURES = "figures"
"""The property of a report under which a test leaves them."""

Figures: TypeAlias = Callable[[str], None]
"""The fixture of that name: takes one line, or several."""
