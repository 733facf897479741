"""Converts the engine's properties to plain data: floats to integers, secrets to their values, unknowns to UNKNOWN."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from google.protobuf import struct_pb2

from policies.subject import UNKNOWN, Plain, Unknown

UNKNOWN_MARKS = frozenset(
    {
        "04da6b54-80e4-46f7-96ec-b56ff0331ba9",
        "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
        "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
        "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
        "030794c1-ac77-496b-92df-f27374a8bd58",
        "e48ece36-62e2-4504-bad9-02848725956a",
        "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
    }
)
"""How the engine writes a value that only the update will tell, by type (sdk/go/common/resource/plugin/rpc.go)."""
_SIGNATURE = "4dabf18193072939515e22adb298388d"
_SECRET = "1b47061264138c4ac30d75fd1eb44270"
"""The key that marks a wrapped value, and the mark of a secret (sdk/go/common/resource/properties.go)."""


def properties(sent: struct_pb2.Struct) -> dict[str, Plain]:
    """The inputs or outputs of a resource."""
    return {key: _plain(sent.fields[key]) for key in sent.fields}


def has_unknown(value: Plain) -> bool:
    """Whether anything in the value is not known yet."""
    if isinstance(value, Unknown):
        return True
    parts: Iterable[Plain] = ()
    if isinstance(value, Mapping):
        parts = value.values()
    elif isinstance(value, list):
        parts = value
    return any(map(has_unknown, parts))


def _plain(sent: struct_pb2.Value) -> Plain:
    match sent.WhichOneof("kind"):
        case "string_value":
            return UNKNOWN if sent.string_value in UNKNOWN_MARKS else sent.string_value
        case "struct_value":
            return _struct(sent.struct_value)
        case "list_value":
            return [_plain(value) for value in sent.list_value.values]
        case "number_value":
            number = sent.number_value
            return int(number) if number.is_integer() else number
        case "bool_value":
            return sent.bool_value
        case _:
            return None


def _struct(sent: struct_pb2.Struct) -> Plain:
    fields = sent.fields
    if _SIGNATURE not in fields:
        return {key: _plain(fields[key]) for key in fields}
    if fields[_SIGNATURE].string_value == _SECRET:
        return _plain(fields["value"])
    return UNKNOWN  # a file or a reference, of which a rule can say nothing
