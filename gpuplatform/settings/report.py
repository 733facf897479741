"""Validation errors of the settings models as faults: the path, the given value, the allowed values, the change."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterator, Sequence
from typing import cast, get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from gpuplatform.faults import Fault
from gpuplatform.settings.source import Plain

_PLAIN_KEY = re.compile(r"^[^./]+$")
"""Other keys, such as `nvidia.com/gpu`, are written in brackets."""
_NAMING_KEYS = ("name", "card", "market", "instance_type")

Location = tuple[int | str, ...]


def faults_of(model: type[BaseModel], raw: Plain, errors: Sequence[ErrorDetails]) -> list[Fault]:
    """One fault for each wrong place, in the order of the file."""
    by_place: dict[Location, list[ErrorDetails]] = {}
    for error in errors:
        by_place.setdefault(resolved(raw, error), []).append(error)
    return [
        _fault(model, raw, place, _relevant(place_errors))
        for place, place_errors in by_place.items()
        if not _explained_by_a_part(raw, place, by_place)
    ]


def resolved(raw: Plain, error: ErrorDetails) -> Location:
    """The location of an error in the raw object: without the names of union members."""
    place: list[int | str] = []
    at: Plain = raw
    parts = error["loc"]
    for position, part in enumerate(parts):
        last = position == len(parts) - 1
        if isinstance(at, dict) and isinstance(part, str) and part in at:
            at = at[part]
        elif isinstance(at, list) and isinstance(part, int) and part < len(at):
            at = at[part]
        elif not (last and error["type"] == "missing"):
            continue
        place.append(part)
    return tuple(place)


def path_of(raw: Plain, place: Location) -> str:
    """A location as text, with list items by their names: ``pools[serve].cards[L4-24GB]``."""
    text = ""
    at: Plain = raw
    for part in place:
        if isinstance(at, list) and isinstance(part, int):
            at = at[part]
            text += f"[{_item_name(at) or part}]"
        else:
            text += f"[{part}]" if _PLAIN_KEY.search(str(part)) is None else f".{part}" if text else str(part)
            at = at.get(str(part)) if isinstance(at, dict) else None
    return text or "settings"


def _item_name(item: Plain) -> str | None:
    if isinstance(item, dict):
        for key in _NAMING_KEYS:
            if isinstance(value := item.get(key), str):
                return value
    return None


def value_at(raw: Plain, place: Location) -> Plain:
    """The raw value at a location, None where there is nothing."""
    at = raw
    for part in place:
        if isinstance(at, dict):
            at = at.get(str(part))
        elif isinstance(at, list) and isinstance(part, int):
            at = at[part]
        else:
            return None
    return at


def _explained_by_a_part(raw: Plain, place: Location, places: dict[Location, list[ErrorDetails]]) -> bool:
    """Whether an error of a union is redundant: one member of the union already reports the part that is wrong."""
    deeper = any(len(other) > len(place) and other[: len(place)] == place for other in places)
    return deeper and isinstance(value_at(raw, place), dict | list)


def _relevant(errors: list[ErrorDetails]) -> list[ErrorDetails]:
    return list({(error["type"], error["msg"]): error for error in errors}.values())


def _fault(model: type[BaseModel], raw: Plain, place: Location, errors: list[ErrorDetails]) -> Fault:
    path = path_of(raw, place)
    error = errors[0]
    description = _description(model, place)
    if error["type"] == "missing":
        return Fault(path, "nothing", description or f"a value for {place[-1]}", f"add the key {place[-1]!r}")
    if error["type"] == "extra_forbidden":
        return _unknown_key(model, path, place)
    allowed = " or ".join(dict.fromkeys(_allowed(error_details) for error_details in errors))
    change = f"give {_key(place)} an allowed value" + (f": {description}" if description else "")
    return Fault(path, _shown(value_at(raw, place)), allowed, change)


def _unknown_key(model: type[BaseModel], path: str, place: Location) -> Fault:
    key = str(place[-1])
    owner = _model_at(model, place[:-1])
    fields = sorted(owner.model_fields) if owner else []
    close = difflib.get_close_matches(key, fields, n=1, cutoff=0.5)
    change = f"write {close[0]!r}" if close else f"remove {key!r}"
    return Fault(path, f"the unknown key {key!r}", f"the keys {', '.join(fields)}", change)


def _allowed(error: ErrorDetails) -> str:
    context = error.get("ctx", {})
    kind = error["type"]
    match kind:
        case "enum" | "literal_error":
            return f"one of {context['expected']}"
        case "greater_than_equal":
            return f"at least {context['ge']}"
        case "less_than_equal":
            return f"at most {context['le']}"
        case "greater_than":
            return f"more than {context['gt']}"
        case "string_pattern_mismatch":
            return f"a text that matches {context['pattern']}"
        case "string_too_long":
            return f"at most {context['max_length']} characters"
        case "string_too_short":
            return f"at least {context['min_length']} characters"
        case "too_short":
            return f"at least {context['min_length']} item(s)"
        case "too_long":
            return f"at most {context['max_length']} item(s)"
        case "value_error":
            return error["msg"].removeprefix("Value error, ")
        case _:
            return _KINDS.get(kind, error["msg"])


_KINDS = {
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "string_type": "a text (in quotes, where it looks like a number)",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "dict_type": "a mapping of keys to values",
    "model_type": "a mapping of keys to values",
    "model_attributes_type": "a mapping of keys to values",
}


def _shown(value: Plain) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else text[:77] + "..."


def _description(model: type[BaseModel], place: Location) -> str | None:
    """The docstring of a field, on one line; for a list item that of the list."""
    cut = max((index for index, part in enumerate(place) if isinstance(part, str)), default=None)
    owner = _model_at(model, place[:cut]) if cut is not None else None
    field = owner.model_fields.get(_key(place)) if owner else None
    description = field.description if field else None
    return " ".join(description.split()).rstrip(".") if description else None


def _key(place: Location) -> str:
    """The last key of a location."""
    return next((part for part in reversed(place) if isinstance(part, str)), "settings")


def _model_at(model: type[BaseModel], place: Location) -> type[BaseModel] | None:
    at: type[BaseModel] | None = model
    for part in place:
        if isinstance(part, int):
            continue
        field = at.model_fields.get(part) if at else None
        at = _model_in(field) if field else None
    return at


def _model_in(field: FieldInfo) -> type[BaseModel] | None:
    return next(_models(field.annotation), None)


def _models(annotation: object) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in cast(tuple[object, ...], get_args(annotation)):
        yield from _models(argument)
