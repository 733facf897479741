"""Changes in the document that other teams read: keys and entries that are added, removed or different."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import cast

from gpuplatform.changes.description import Description
from gpuplatform.changes.differences import becomes
from gpuplatform.outputs import OUTPUT_NAME

_FIGURES = ("cost", "capacity")
"""Parts that depend on every ceiling and price; ``check`` and ``cost --diff`` report them."""


def contract_changes(was: Description, now: Description) -> tuple[str, ...]:
    """One line for each difference of the stack's outputs; an entry that is added or removed is one line in all."""
    if was.published is None or now.published is None:
        return ()
    before, after = (
        {key: value for key, value in published.items() if key not in _FIGURES}
        for published in (was.published, now.published)
    )
    return tuple(_lines(OUTPUT_NAME, before, after))


def _lines(path: str, old: object, new: object) -> Iterable[str]:
    before, after = _entries(old), _entries(new)
    if before is None or after is None:
        yield from becomes(path, old, new)
        return
    for key in dict.fromkeys((*before, *after)):
        if key not in before:
            yield f"{path}.{key} is new"
        elif key not in after:
            yield f"{path}.{key} is gone"
        else:
            yield from _lines(f"{path}.{key}", before[key], after[key])


def _entries(value: object) -> Mapping[str, object] | None:
    """A mapping, or a list of named entries by their names; None for anything else."""
    if isinstance(value, Mapping):
        return cast("Mapping[str, object]", value)
    if not isinstance(value, (list, tuple)):
        return None
    items = cast("list[object]", value)
    if not all(isinstance(item, Mapping) and "name" in item for item in items):
        return None
    return {str(item["name"]): item for item in cast("list[Mapping[str, object]]", items)}
