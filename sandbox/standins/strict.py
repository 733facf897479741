"""Inputs held to the SDK's signature: what it requires must be there, what it does not know must not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sandbox.standins.plain import UNKNOWN, Plain, text_of
from sandbox.standins.signature import ClassRef, resource_class, signature
from sandbox.standins.types import CUSTOM_TYPES, RELEASE

_CUSTOM_KEYS = frozenset({"apiVersion", "kind", "metadata", "spec"})


@dataclass(frozen=True, slots=True)
class Problem:
    """One input that the real provider would refuse."""

    property: str
    """Its path, as in ``vpcConfig.subnetIds``."""
    reason: str


def problems(token: str, inputs: Mapping[str, Plain]) -> list[Problem]:
    """Everything wrong with the inputs of a listed type; unknown values pass, as they do in a preview."""
    if token in CUSTOM_TYPES:
        found = [_unknown_input(token, key, "") for key in inputs if key not in _CUSTOM_KEYS]
        return found + _object_problems(token, inputs)
    found = _against(token, resource_class(token), inputs, "")
    if token == RELEASE:
        return found + ([] if "version" in inputs else [_missing(token, "version", "an unpinned chart drifts")])
    return found + (_object_problems(token, inputs) if token.startswith("kubernetes:") else [])


def _object_problems(token: str, inputs: Mapping[str, Plain]) -> list[Problem]:
    """What the API server asks of every object, and the SDK's signature does not say."""
    _, group_version, kind = token.split(":")
    wanted = {"apiVersion": group_version.removeprefix("core/"), "kind": kind}
    found: list[Problem] = []
    for key, value in wanted.items():
        given = inputs.get(key)
        if given is None:
            found.append(_missing(token, key, f"it is {value}"))
        elif given not in (value, UNKNOWN):
            found.append(Problem(key, f"{token} has {key} {text_of(given)}, and must have {value}"))
    metadata = inputs.get("metadata")
    if metadata != UNKNOWN and not (isinstance(metadata, dict) and metadata.get("name")):
        found.append(_missing(token, "metadata.name", "names are chosen here, never made up"))
    return found


def _against(token: str, reference: ClassRef, inputs: Mapping[str, Plain], path: str) -> list[Problem]:
    known = signature(reference)
    found = [
        _missing(token, f"{path}{name}", f"the SDK's {reference.name} requires it")
        for name, property_ in known.items()
        if property_.required and inputs.get(name) is None
    ]
    for name, value in inputs.items():
        property_ = known.get(name)
        if property_ is None:
            if not name.startswith("__"):  # the engine's own
                found.append(_unknown_input(token, f"{path}{name}", f"; the SDK's {reference.name} has no such input"))
        elif property_.nested is not None:
            for at, nested in _items(value, f"{path}{name}", mapping=property_.mapping):
                found += _against(token, property_.nested, nested, f"{at}.")
    return found


def _items(value: Plain, path: str, *, mapping: bool) -> list[tuple[str, dict[str, Plain]]]:
    """Every object that a nested input holds, with its path."""
    if isinstance(value, list):
        return [pair for at, item in enumerate(value) for pair in _items(item, f"{path}[{at}]", mapping=False)]
    if not isinstance(value, dict):
        return []
    if mapping:
        return [(f"{path}[{key}]", item) for key, item in value.items() if isinstance(item, dict)]
    return [(path, value)]


def _missing(token: str, path: str, why: str) -> Problem:
    return Problem(path, f"{token} lacks the input {path}: {why}")


def _unknown_input(token: str, path: str, why: str) -> Problem:
    return Problem(path, f"{token} does not take the input {path}{why}")
