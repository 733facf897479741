"""Versions as commands print them, compared by number."""

from __future__ import annotations

import re

Version = tuple[int, int, int]

_VERSION = re.compile(r"(\d+)\.(\d+)(?:\.(\d+))?")


def parse_version(text: str) -> Version | None:
    """The first version in what a command printed: ``v3.259.0``, ``go1.26 linux/amd64``; None without one."""
    found = _VERSION.search(text)
    return (int(found[1]), int(found[2]), int(found[3] or 0)) if found else None


def at_least(printed: str, wanted: Version) -> bool:
    """Whether a command that printed this is new enough; what cannot be read is not."""
    version = parse_version(printed)
    return version is not None and version >= wanted


def as_text(version: Version) -> str:
    """``3.259.0``."""
    return ".".join(str(part) for part in version)
