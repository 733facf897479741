"""Plain data as it crosses the engine's wire, and how to look into it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TypeAlias

Plain: TypeAlias = "None | bool | int | float | str | list[Plain] | dict[str, Plain]"

UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
"""What stands for a value that is not known yet (the engine's ``UnknownStringValue``)."""


def at_path(value: Plain, path: str) -> Iterator[Plain]:
    """Every value at a dotted path; lists on the way are entered, absent keys and nulls give nothing."""
    if isinstance(value, list):
        for item in value:
            yield from at_path(item, path)
    elif not path:
        if value is not None:
            yield value
    elif isinstance(value, dict):
        head, _, rest = path.partition(".")
        yield from at_path(value.get(head), rest)


def text_at(value: Plain, path: str, default: str = "") -> str:
    """The first value at a path as text."""
    return next((text_of(found) for found in at_path(value, path)), default)


def text_of(value: Plain) -> str:
    """A scalar as text; JSON of anything larger."""
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)


def has_unknown(value: Plain) -> bool:
    """Whether anything inside is not known yet."""
    if isinstance(value, dict):
        return any(has_unknown(item) for item in value.values())
    if isinstance(value, list):
        return any(has_unknown(item) for item in value)
    return value == UNKNOWN


def changed_keys(old: Mapping[str, Plain], new: Mapping[str, Plain]) -> list[str]:
    """Top-level keys whose values differ, in order; the engine's own (``__defaults``) do not count."""
    keys = sorted({*old, *new})
    return [key for key in keys if not key.startswith("__") and old.get(key) != new.get(key)]
