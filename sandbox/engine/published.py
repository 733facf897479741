"""The outputs of a stack's last bring-up on this machine, read without starting the engine."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import cast

from sandbox.places import state

_PROJECT = "gpu-platform"
_STACK = "pulumi:pulumi:Stack"


def state_file(stack: str) -> Path:
    """The file in which the engine's backend keeps the stack's state."""
    return state(stack) / "backend" / ".pulumi" / "stacks" / _PROJECT / f"{stack}.json"


def stack_output(stack: str, output: str) -> object:
    """An output of the stack; None where the stack is not up or has no such output."""
    try:
        state_document = cast("object", json.loads(state_file(stack).read_bytes()))
    except (OSError, ValueError):
        return None
    resources = _at(_at(_at(state_document, "checkpoint"), "latest"), "resources")
    for resource in cast("list[object]", resources) if isinstance(resources, list) else []:
        if _at(resource, "type") == _STACK:
            return _at(_at(resource, "outputs"), output)
    return None


def _at(value: object, key: str) -> object:
    return cast("Mapping[str, object]", value).get(key) if isinstance(value, Mapping) else None
