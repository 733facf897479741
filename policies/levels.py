"""The enforcement level of each rule: checks the policy engine's configuration file before the engine reads it.

The engine accepts an unknown rule name silently, so that a typing error would have no effect.
"""

from __future__ import annotations

import difflib
import enum
import json
from collections.abc import Mapping

from gpuplatform.faults import Fault
from policies.rules import RULES, STACK_RULES
from policies.subject import Plain, plain, quoted

ALL = "all"
"""The key that stands for every rule that the file does not name."""
_LEVEL = "enforcementLevel"
NAMES = tuple(rule.name for rule in (*RULES, *STACK_RULES))


class Level(enum.StrEnum):
    """What a broken rule does to a preview, in the engine's words."""

    MANDATORY = "mandatory"
    ADVISORY = "advisory"
    DISABLED = "disabled"


def judge(text: str, where: str) -> list[Fault]:
    """Every fault of a file's text; empty if the engine can use it."""
    try:
        document = plain(json.loads(text))
    except ValueError as error:
        return [Fault(where, f"text that is not JSON ({error})", "a JSON object of levels by rule", "correct the file")]
    if not isinstance(document, Mapping):
        return [Fault(where, quoted(document), "a JSON object of levels by rule", 'write {"rule-name": "advisory"}')]
    return [fault for name, level in document.items() for fault in (*_name(name, where), *_level(name, level, where))]


def unknown_rule(name: str, where: str) -> Fault:
    """The fault of a name that no rule has."""
    close_names = difflib.get_close_matches(name, NAMES, n=3)
    change = f"write {' or '.join(close_names)}" if close_names else "take a name from docs/reference/policies.md"
    return Fault(f"{where}: {name}", "no rule of the pack", f"a rule's name, or {ALL}", change)


def schema() -> dict[str, object]:
    """The file's JSON schema, for editors."""
    level_schema = {
        "oneOf": [
            {"$ref": "#/definitions/level"},
            {
                "type": "object",
                "properties": {_LEVEL: {"$ref": "#/definitions/level"}},
                "required": [_LEVEL],
                "additionalProperties": False,
            },
        ]
    }
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Levels of the rules of gpu-platform",
        "type": "object",
        "properties": {"$schema": {"type": "string"}, **dict.fromkeys((ALL, *NAMES), level_schema)},
        "additionalProperties": False,
        "definitions": {"level": {"enum": [level.value for level in Level]}},
    }


def _name(name: str, where: str) -> list[Fault]:
    return [] if name in (ALL, *NAMES) else [unknown_rule(name, where)]


def _level(name: str, level: Plain, where: str) -> list[Fault]:
    allowed = f"one of {', '.join(Level)}"
    path = f"{where}: {name}"
    if isinstance(level, Mapping):
        other_keys = [key for key in level if key != _LEVEL]
        path, level = f"{path}.{_LEVEL}", level.get(_LEVEL)
        if other_keys:
            return [Fault(path, f"further keys: {', '.join(other_keys)}", f"{_LEVEL} only", "remove the other keys")]
    return [] if level in tuple(Level) else [Fault(path, quoted(level), allowed, f"write {allowed}")]
