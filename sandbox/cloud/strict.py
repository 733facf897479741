"""Inputs held to the SDK's signature: what it requires must be there, what it does not know must not."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sandbox.cloud.signatures import ClassRef, Shape, resource_class, signature
from sandbox.cloud.types import listed
from sandbox.cloud.world import Plain, Properties

UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
"""How the engine writes a value that only a later step knows (pulumi sdk/go/common/resource/plugin/rpc.go)."""
RELEASE = "kubernetes:helm.sh/v3:Release"
_NUMBER = re.compile(r"^-?[0-9]+([.][0-9]+)?$")
_OBJECT_KEYS = frozenset({"apiVersion", "kind", "metadata", "spec"})
_BESIDE_SPEC = {"kubernetes:kueue.x-k8s.io/v1beta2:WorkloadPriorityClass": frozenset({"value", "description"})}
"""Custom resources that have no spec, as PriorityClass has none."""
_RELEASE_NEEDS = {"version": "an unpinned chart drifts", "namespace": "it would land in the provider's default"}


@dataclass(frozen=True, slots=True)
class Problem:
    """One input that the real provider, or this platform, would refuse."""

    property: str
    """Its path, such as ``vpcConfig.subnetIds``; empty where the type itself is refused."""
    reason: str


def problems(token: str, inputs: Properties) -> list[Problem]:
    """Everything wrong with a resource's inputs; unknown values pass, as they do in a preview."""
    if token not in listed():
        return [
            Problem("", f"the stand-in does not know the type {token}; `gpuplatform engine types` lists what it knows")
        ]
    reference = resource_class(token)
    if reference is None:
        found = [
            _unknown_input(token, key, "")
            for key in inputs
            if key not in _OBJECT_KEYS | _BESIDE_SPEC.get(token, frozenset())
        ]
        return found + _object_problems(token, inputs)
    found = _against(token, reference, inputs, "")
    if token == RELEASE:
        return found + [_missing(token, key, why) for key, why in _RELEASE_NEEDS.items() if inputs.get(key) is None]
    return found + (_object_problems(token, inputs) if token.startswith("kubernetes:") else [])


def _object_problems(token: str, inputs: Properties) -> list[Problem]:
    """What the API server asks of every object, and the SDK's signature does not say."""
    _, group_version, kind = token.split(":")
    found: list[Problem] = []
    for key, wanted in {"apiVersion": group_version.removeprefix("core/"), "kind": kind}.items():
        given = inputs.get(key)
        if given is None:
            found.append(_missing(token, key, f"it is {wanted}"))
        elif given not in (wanted, UNKNOWN):
            found.append(Problem(key, f"{token}: {key} is {given} and must be {wanted}"))
    metadata = inputs.get("metadata")
    if metadata != UNKNOWN and not (isinstance(metadata, dict) and metadata.get("name")):
        found.append(_missing(token, "metadata.name", "names are chosen here, never made up"))
    return found


def _against(token: str, reference: ClassRef, inputs: Properties, path: str) -> list[Problem]:
    known = signature(reference)
    found = [
        _missing(token, f"{path}{name}", f"the SDK's {reference.name} requires it")
        for name, each in known.items()
        if each.required and inputs.get(name) is None
    ]
    for name, value in inputs.items():
        each = known.get(name)
        if each is None:
            if not name.startswith("__"):  # the engine's own
                found.append(_unknown_input(token, f"{path}{name}", f"; the SDK's {reference.name} has none"))
        elif each.shape is not None and not _fits(value, each.shape):
            found.append(Problem(f"{path}{name}", f"{token}: {path}{name} must be {each.shape.value}"))
        elif each.nested is not None:
            for at, nested in _objects(value, f"{path}{name}", mapping=each.mapping):
                found += _against(token, each.nested, nested, f"{at}.")
    return found


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
    """Whether a value has that form; the providers take a number or a truth value as text too."""
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


def _missing(token: str, path: str, why: str) -> Problem:
    return Problem(path, f"missing required input {path!r} of {token}: {why}")


def _unknown_input(token: str, path: str, why: str) -> Problem:
    return Problem(path, f"{token} has no input {path!r}{why}")
