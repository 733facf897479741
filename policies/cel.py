"""The Common Expression Language as rules write it: literals, the fragments that several rules share, the verdicts.

An expression reads the variables of its kind's policy, which ``policies/admission/scopes.py`` defines, and ``object``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Cel:
    """A rule as the API server evaluates it, each time an object is written."""

    keeps: str
    """An expression that is true where the rule is kept."""
    says: str = ""
    """An expression whose text joins the message: what this object is, where the rule's own words do not tell."""
    short_of: str = ""
    """What the rule judges and the expression cannot; empty where both give one verdict."""
    everywhere: bool = False
    """For pods: judged in every namespace, and not in those of teams alone."""


@dataclass(frozen=True, slots=True)
class NotInCluster:
    """Why the API server does not enforce a rule."""

    why: str


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
    return "[" + ", ".join(literal(each) for each in value) + "]"


def table(entries: Mapping[str, str | int | Iterable[str]]) -> str:
    """A map of such values, in the order given."""
    return nested({key: literal(each) for key, each in entries.items()})


def nested(entries: Mapping[str, str]) -> str:
    """A map whose values are CEL already."""
    return "{" + ", ".join(f"{literal(key)}: {each}" for key, each in entries.items()) + "}"


def every(*conditions: str) -> str:
    """All of the conditions."""
    return " && ".join(f"({each})" for each in conditions)
