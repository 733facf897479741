"""Where things are kept: tools in the user's cache, a stack's state in the repository. Nothing is written elsewhere."""

from __future__ import annotations

from pathlib import Path

from platformdirs import user_cache_path

PROJECT = Path(__file__).resolve().parent.parent
"""The repository."""


def cache() -> Path:
    """The user's cache folder of this project."""
    return user_cache_path("gpu-platform", appauthor=False)


def state(stack: str) -> Path:
    """What is remembered of a stack on this machine."""
    return PROJECT / ".state" / stack
