"""How deep a YAML text is nested, measured before it is composed: libyaml's composer would overflow the C stack."""

from __future__ import annotations

import contextlib
import re

import yaml

MAX_DEPTH = 100
"""Far deeper than settings or Kubernetes objects go."""
_DEEP_BLOCK = re.compile(rf"^[ \t?:-]{{{MAX_DEPTH}}}", re.MULTILINE)


def too_deep_at_line(text: str) -> int | None:
    """The line, counted from 1, at which lists or mappings are nested deeper than MAX_DEPTH; None where no line is.

    Only a text that could be so deep is read event by event. Broken YAML gives None: the caller's parser reports it.
    """
    if text.count("[") + text.count("{") < MAX_DEPTH and not _DEEP_BLOCK.search(text):
        return None
    depth = 0
    with contextlib.suppress(yaml.YAMLError):
        for event in yaml.parse(text, Loader=yaml.CSafeLoader):  # pyright: ignore[reportUnknownMemberType]
            if isinstance(event, yaml.CollectionStartEvent):
                depth += 1
            elif isinstance(event, yaml.CollectionEndEvent):
                depth -= 1
            if depth > MAX_DEPTH:
                return event.start_mark.line + 1 if event.start_mark else 1
    return None
