"""Reading a stack file: from bytes on disk to the plain object under ``gpu-platform:settings``."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import cast

import yaml

from gpuplatform.faults import Fault
from gpuplatform.nesting import too_deep_at_line

SETTINGS_KEY = "gpu-platform:settings"
MAX_DEPTH = 32
"""Settings nest about ten deep."""
MAX_VALUES = 100_000
"""Enough for a thousand pools and a thousand tenants."""

Plain = None | bool | int | float | str | list["Plain"] | dict[str, "Plain"]
"""A value of a YAML document."""


class _Loader(yaml.CSafeLoader):
    """YAML 1.2's core schema, as Pulumi reads it (22:00 is a text, `no` is a text), and a duplicate key is an error."""

    yaml_implicit_resolvers = {}


_NUMBER_STARTS = list("-+0123456789")
for _tag, _pattern, _starts in (
    ("null", r"^(~|null|Null|NULL|)$", ["~", "n", "N", ""]),
    ("bool", r"^(true|True|TRUE|false|False|FALSE)$", list("tTfF")),
    ("int", r"^[-+]?(0|[1-9][0-9]*)$", _NUMBER_STARTS),
    ("float", r"^[-+]?[0-9]+\.[0-9]*([eE][-+]?[0-9]+)?$", _NUMBER_STARTS),
):
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(_pattern), _starts)  # pyright: ignore[reportUnknownMemberType]


def _mapping(loader: _Loader, node: yaml.MappingNode) -> dict[str, object]:
    built: dict[str, object] = {}
    for key_node, value_node in node.value:
        key = str(loader.construct_object(key_node, deep=True))  # pyright: ignore[reportUnknownMemberType]
        if key in built:
            raise yaml.constructor.ConstructorError(None, None, f"the key {key!r} is duplicated", key_node.start_mark)
        built[key] = loader.construct_object(value_node, deep=True)  # pyright: ignore[reportUnknownMemberType]
    return built


_Loader.add_constructor("tag:yaml.org,2002:map", _mapping)


def read(path: Path) -> tuple[Plain, list[Fault]]:
    """The settings object of a stack file (or of a bare settings file), and the faults that keep it from being read."""
    where = str(path)
    try:
        content = path.read_bytes()
    except OSError as error:
        reason = error.strerror or "unreadable"
        return None, [Fault(where, f"a file that cannot be read ({reason})", "a YAML file", "check the path")]
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return None, [Fault(where, "a binary file", "a YAML file in UTF-8", "name the stack's YAML file")]
    return parse(text, where)


def parse(text: str, where: str) -> tuple[Plain, list[Fault]]:
    """The settings object in a stack file's text; a bare settings object is accepted too."""
    if "\x00" in text:
        return None, [Fault(where, "a binary file", "a YAML file in UTF-8", "name the stack's YAML file")]
    if (line := too_deep_at_line(text)) is not None:
        nesting = f"lists or mappings nested too deep (line {line})"
        return None, [Fault(where, nesting, "a stack's settings", "fix it there")]
    try:
        document = cast(Plain, yaml.load(text, Loader=_Loader))
    except yaml.YAMLError as error:
        return None, [Fault(where, f"text that is not YAML: {_reason(error)}", "a YAML file", "fix it there")]
    except ValueError as error:  # a number beyond what Python reads
        return None, [Fault(where, f"YAML that cannot be read: {error}", "a stack's settings", "fix the number")]
    if document is None:
        return None, [Fault(where, "an empty file", f"a mapping with {SETTINGS_KEY}", "write the stack's settings")]
    if not isinstance(document, dict):
        return None, [Fault(where, f"a {_kind(document)}", "a mapping", f"begin with config: {SETTINGS_KEY}:")]
    if "config" not in document:
        return document, []
    config = document["config"]
    if not isinstance(config, dict) or SETTINGS_KEY not in config:
        return None, [Fault(f"{where}: config", f"no {SETTINGS_KEY}", "the settings object", f"add {SETTINGS_KEY}")]
    return config[SETTINGS_KEY], []


def unreasonable(raw: Plain) -> str | None:
    """Why an object is too deep or too large to be settings; aliases can make a small file huge."""
    level, depth, values = [raw], 0, 0
    while level:
        depth, values = depth + 1, values + len(level)
        if depth > MAX_DEPTH:
            return f"values nested more than {MAX_DEPTH} deep"
        if values > MAX_VALUES:
            return f"more than {MAX_VALUES:,} values"
        level = [below for value in level for below in _below(value)]
    return None


def _below(value: Plain) -> Iterable[Plain]:
    return value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()


def _reason(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or str(error).splitlines()[0]
    return f"{problem} (line {mark.line + 1})" if mark is not None else str(problem)


def _kind(value: Plain) -> str:
    return "list" if isinstance(value, list) else "text" if isinstance(value, str) else "single value"
