"""Differences between two plain documents as lines of text, one for each leaf."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

_NAMES = ("key", "name", "id", "deviceName", "alias")
"""Keys that identify the items of a list; the first that all items have is used."""
_LONGEST_VALUE = 60
"""Longest value in characters that is shown."""
NOTHING = "nothing"


def differences(old: object, new: object) -> tuple[str, ...]:
    """Each leaf that only one side has, or whose values differ, in the order of its path."""
    before, after = _flat(old), _flat(new)
    return tuple(
        _line(path, before.get(path, NOTHING), after.get(path, NOTHING))
        for path in sorted({*before, *after})
        if before.get(path, NOTHING) != after.get(path, NOTHING)
    )


def becomes(subject: str, old: object, new: object) -> tuple[str, ...]:
    """One line where the two differ, none where they do not."""
    return () if old == new else (_line(subject, _shown(old), _shown(new)),)


def _line(path: str, old: str, new: str) -> str:
    if any("\n" in value or len(value) > _LONGEST_VALUE for value in (old, new)):
        return f"{path}: another text"
    return f"{path}: {old} becomes {new}"


def _flat(value: object, path: str = "") -> dict[str, str]:
    """Every leaf by its path; list items are identified by their name where they have one."""
    leaves: dict[str, str] = {}
    if isinstance(value, Mapping):
        for key, below in cast("Mapping[str, object]", value).items():
            leaves |= _flat(below, f"{path}.{key}" if path else key)
        return leaves
    elements = _items(value)
    if not elements or not all(isinstance(item, Mapping) for item in elements):
        return {path: _shown(value)}
    items = cast("list[Mapping[str, object]]", elements)
    name = next((name for name in _NAMES if all(name in item for item in items)), None)
    if name is None or len({str(item[name]) for item in items}) < len(items):
        return {f"{path}[{place}]": _shown(item) for place, item in enumerate(items)}
    for item in items:
        below = {key: inner for key, inner in item.items() if key != name} or {name: item[name]}
        leaves |= _flat(below, f"{path}[{item[name]}]")
    return leaves


def _items(value: object) -> list[object] | None:
    """The items of a list; None for anything else."""
    return list(cast("list[object]", value)) if isinstance(value, (list, tuple, frozenset)) else None


def _shown(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_shown(below)}" for key, below in cast("Mapping[str, object]", value).items())
    elements = _items(value)
    if elements is not None:
        shown = [_shown(item) for item in elements]
        return ", ".join(sorted(shown) if isinstance(value, frozenset) else shown) or NOTHING
    return NOTHING if value is None else str(value)
