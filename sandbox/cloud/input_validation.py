"""Validation of a resource's inputs against the provider's SDK and the API server's basic rules."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sandbox.cloud.signatures import ClassRef, Shape, resource_class, signature
from sandbox.cloud.store import Plain, Properties
from sandbox.cloud.types import type_names


class RefusedError(Exception):
    """A request that the real service would refuse too; the message reaches the engine's own error line."""


UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
"""How the engine writes a value that only a later step knows (pulumi sdk/go/common/resource/plugin/rpc.go)."""
RELEASE = "kubernetes:helm.sh/v3:Release"
_NUMBER = re.compile(r"^-?[0-9]+([.][0-9]+)?$")
_OBJECT_KEYS = frozenset({"apiVersion", "kind", "metadata", "spec"})
_BESIDE_SPEC = {"kubernetes:kueue.x-k8s.io/v1beta2:WorkloadPriorityClass": frozenset({"value", "description"})}
"""Inputs of custom resources that have no spec, as PriorityClass has none."""
_RELEASE_NEEDS = {"version": "an unpinned chart drifts", "namespace": "it would land in the provider's default"}


@dataclass(frozen=True, slots=True)
class Problem:
    """One input that the real provider, or this platform, would refuse."""

    property: str
    """Its path, such as ``vpcConfig.subnetIds``; empty where the type itself is refused."""
    reason: str


def input_problems(token: str, inputs: Properties) -> list[Problem]:
    """Every problem of a resource's inputs; unknown values of a preview are accepted."""
    if token not in type_names():
        return [
            Problem("", f"the stand-in does not know the type {token}; `gpuplatform engine types` lists what it knows")
        ]
    reference = resource_class(token)
    if reference is None:
        problems = [
            _unknown_input(token, key, "")
            for key in inputs
            if key not in _OBJECT_KEYS | _BESIDE_SPEC.get(token, frozenset())
        ]
        return problems + _object_problems(token, inputs)
    problems = _against(token, reference, inputs, "")
    if token == RELEASE:
        return problems + [
            _missing_input(token, key, why) for key, why in _RELEASE_NEEDS.items() if inputs.get(key) is None
        ]
    return problems + (_object_problems(token, inputs) if token.startswith("kubernetes:") else [])


def _object_problems(token: str, inputs: Properties) -> list[Problem]:
    """The API server's requirements of every object that the SDK's signature does not contain."""
    _, group_version, kind = token.split(":")
    problems: list[Problem] = []
    for key, expected_value in {"apiVersion": group_version.removeprefix("core/"), "kind": kind}.items():
        value = inputs.get(key)
        if value is None:
            problems.append(_missing_input(token, key, f"it is {expected_value}"))
        elif value not in (expected_value, UNKNOWN):
            problems.append(Problem(key, f"{token}: {key} is {value} and must be {expected_value}"))
    metadata = inputs.get("metadata")
    if metadata != UNKNOWN and not (isinstance(metadata, dict) and metadata.get("name")):
        problems.append(
            _missing_input(token, "metadata.name", "the program names every object; none gets a generated name")
        )
    return problems


def _against(token: str, reference: ClassRef, inputs: Properties, path: str) -> list[Problem]:
    properties = signature(reference)
    problems = [
        _missing_input(token, f"{path}{name}", f"the SDK's {reference.name} requires it")
        for name, input_property in properties.items()
        if input_property.required and inputs.get(name) is None
    ]
    for name, value in inputs.items():
        input_property = properties.get(name)
        if input_property is None:
            if not name.startswith("__"):  # the engine's own
                problems.append(_unknown_input(token, f"{path}{name}", f"; the SDK's {reference.name} has none"))
        elif input_property.shape is not None and not _fits(value, input_property.shape):
            problems.append(Problem(f"{path}{name}", f"{token}: {path}{name} must be {input_property.shape.value}"))
        elif input_property.nested is not None:
            for at, nested in _objects(value, f"{path}{name}", mapping=input_property.mapping):
                problems += _against(token, input_property.nested, nested, f"{at}.")
    return problems


def _objects(value: Plain, path: str, *, mapping: bool) -> list[tuple[str, Properties]]:
    """Every object that a nested input holds, with its path."""
    if isinstance(value, list):
        return [pair for at, item in enumerate(value) for pair in _objects(item, f"{path}[{at}]", mapping=False)]
    if not isinstance(value, dict):
        return []
    if mapping:
        return [(f"{path}[{key}]", item) for key, item in value.items() if isinstance(item, dict)]
    return [(path, value)]


def _fits(value: Plain, shape: Shape) -> bool:
    """Whether a value has that form; the providers also take a number or a boolean as text."""
    if value is None or value == UNKNOWN:
        return True
    if shape is Shape.LIST:
        return isinstance(value, list)
    if shape is Shape.MAPPING:
        return isinstance(value, dict)
    if isinstance(value, dict | list):
        return False
    if shape is Shape.TRUTH:
        return value in (True, False, "true", "false")
    return shape is Shape.TEXT or not isinstance(value, str) or _NUMBER.match(value) is not None


def _missing_input(token: str, path: str, why: str) -> Problem:
    return Problem(path, f"missing required input {path!r} of {token}: {why}")


def _unknown_input(token: str, path: str, why: str) -> Problem:
    return Problem(path, f"{token} has no input {path!r}{why}")
