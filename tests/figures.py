"""Figures that a test measured: printed at the end of the run, whichever worker ran the test."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

FIGURES = "figures"
"""The name under which a test stores its figures in its report."""

Figures: TypeAlias = Callable[[str], None]
"""The type of the fixture ``figures``: it takes one line or several."""
