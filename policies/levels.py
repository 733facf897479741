"""How strictly each rule is held: the configuration file of the policy engine, judged before the engine reads it.

The engine takes a rule's name that nobody has without a word, so that a typing error would leave a rule as it was.
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
    """Everything wrong with a file's text; nothing where the engine may have it."""
    try:
        given = plain(json.loads(text))
    except ValueError as error:
        return [Fault(where, f"no JSON ({error})", "a JSON object of levels by rule", "mend the file")]
    if not isinstance(given, Mapping):
        return [Fault(where, quoted(given), "a JSON object of levels by rule", 'write {"rule-name": "advisory"}')]
    return [fault for name, level in given.items() for fault in (*_name(name, where), *_level(name, level, where))]


def unknown_rule(name: str, where: str) -> Fault:
    """The fault of a name that no rule has."""
    near = difflib.get_close_matches(name, NAMES, n=3)
    change = f"write {' or '.join(near)}" if near else "take the name from the page of policies"
    return Fault(f"{where}: {name}", "no rule of the pack", f"a rule's name, or {ALL}", change)


def schema() -> dict[str, object]:
    """The file's JSON schema, for editors."""
    one = {
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
        "properties": {"$schema": {"type": "string"}, **dict.fromkeys((ALL, *NAMES), one)},
        "additionalProperties": False,
        "definitions": {"level": {"enum": [each.value for each in Level]}},
    }


def _name(name: str, where: str) -> list[Fault]:
    return [] if name in (ALL, *NAMES) else [unknown_rule(name, where)]


def _level(name: str, given: Plain, where: str) -> list[Fault]:
    allowed = f"one of {', '.join(Level)}"
    path = f"{where}: {name}"
    if isinstance(given, Mapping):
        more = [key for key in given if key != _LEVEL]
        path, given = f"{path}.{_LEVEL}", given.get(_LEVEL)
        if more:
            return [Fault(path, f"{', '.join(more)} beside it", f"{_LEVEL} alone", "remove the rest")]
    return [] if given in tuple(Level) else [Fault(path, quoted(given), allowed, f"write {allowed}")]
