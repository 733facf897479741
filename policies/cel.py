"""Common Expression Language: a rule's expression or the reason why it has none, and functions that write literals.

An expression reads ``object``, and the variables of its kind's policy, which ``policies/admission/scopes.py`` defines.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Cel:
    """A rule as the API server evaluates it, each time an object is written."""

    condition: str
    """An expression that is true if the object keeps the rule."""
    message: str = ""
    """An expression whose text is added to the message: facts about this object."""
    gap: str = ""
    """The part of the rule that the expression cannot judge; empty if both always agree."""
    everywhere: bool = False
    """For pods: whether it applies in every namespace, not only in those of teams."""


@dataclass(frozen=True, slots=True)
class NotInCluster:
    """Why the API server does not enforce a rule."""

    reason: str


Admission: TypeAlias = Cel | NotInCluster

CLOUD = NotInCluster("it is about a resource of the cloud account, which the cluster's API server never sees")
CHART = NotInCluster("it is about a chart's values, which are no object of the cluster")
TOGETHER = NotInCluster("it compares several objects, and the API server judges one at a time")
PLATFORMS_OWN = NotInCluster("teams may not write such an object; what the platform writes is judged at preview")


def literal(value: str | int | Iterable[str]) -> str:
    """A text, a number or a list of texts as CEL writes it."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, int):
        return str(value)
    return "[" + ", ".join(literal(item) for item in value) + "]"


def table(entries: Mapping[str, str | int | Iterable[str]]) -> str:
    """A map of such values, in the order given."""
    return nested({key: literal(item) for key, item in entries.items()})


def nested(entries: Mapping[str, str]) -> str:
    """A map whose values are CEL already."""
    return "{" + ", ".join(f"{literal(key)}: {expression}" for key, expression in entries.items()) + "}"


def every(*conditions: str) -> str:
    """All of the conditions."""
    return " && ".join(f"({condition})" for condition in conditions)
