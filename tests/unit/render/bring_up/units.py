"""Reading a systemd unit in tests: sections, keys, and several values of a key."""

from __future__ import annotations

Unit = dict[str, dict[str, list[str]]]
"""By section and key, the words of every line of that key."""


def read_unit(text: str) -> Unit:
    """A unit file; anything that is not a section, an assignment, a comment or empty is an error."""
    unit: Unit = {}
    section: dict[str, list[str]] = {}
    for line in text.splitlines():
        if not line or line.startswith("#"):
            continue
        if line.startswith("["):
            section = unit.setdefault(line.strip("[]"), {})
            continue
        key, equals, value = line.partition("=")
        assert equals, line
        section.setdefault(key, []).extend(value.split())
    return unit
