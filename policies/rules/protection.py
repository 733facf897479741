"""Protection: training and chiefs are not disturbed by consolidation, age or a moving image."""

from __future__ import annotations

from collections.abc import Iterable

from gpuplatform.faults import Fault
from policies.cel import Cel, every, literal
from policies.nodepool import nodepool
from policies.rule import Rule, Severity
from policies.subject import (
    NODE_CLASS,
    NODE_POOL,
    UNKNOWN,
    Plain,
    Subject,
    Unknown,
    at,
    items_at,
    quoted,
    text,
    text_at,
)

_WHEN_EMPTY = "WhenEmpty"
_NEVER = "Never"
_MOVING = ("/recommended/", "/latest/")
"""Parts of a parameter's name that mean the newest image."""


def _consolidation(subject: Subject) -> Iterable[Fault]:
    pool = nodepool(subject)
    policy = text_at(subject, "spec", "disruption", "consolidationPolicy")
    if not pool.is_protected or pool.is_static or policy in (_WHEN_EMPTY, UNKNOWN):
        return []
    return [
        Fault(
            "spec.disruption.consolidationPolicy",
            quoted(policy),
            f"{_WHEN_EMPTY} for training and chiefs: any other policy, the default too, moves running work",
            f"set it to {_WHEN_EMPTY}",
        )
    ]


def _expiry(subject: Subject) -> Iterable[Fault]:
    pool, age = nodepool(subject), text_at(subject, "spec", "template", "spec", "expireAfter")
    if not pool.is_protected or age in (_NEVER, UNKNOWN):
        return []
    return [
        Fault(
            "spec.template.spec.expireAfter",
            quoted(age),
            f"{_NEVER} for training and chiefs: expiry is by force, ignores budgets, and the default is 720h",
            f"set it to {_NEVER}",
        )
    ]


def _moving_images(subject: Subject) -> Iterable[Fault]:
    terms = items_at(subject, "spec", "amiSelectorTerms")
    if isinstance(terms, Unknown):
        return []
    return [
        fault for number, term in enumerate(terms) for fault in _term_faults(f"spec.amiSelectorTerms[{number}]", term)
    ]


def _term_faults(path: str, term: Plain) -> list[Fault]:
    faults: list[Fault] = []
    alias, parameter, name = (text(at(term, part)) for part in ("alias", "ssmParameter", "name"))
    if isinstance(alias, str) and alias.partition("@")[2] in ("", "latest"):
        allowed = (
            "an alias with a version, such as al2023@v20260810: a moving alias replaces every node at each release"
        )
        faults.append(Fault(f"{path}.alias", quoted(alias), allowed, "write the version of the image after the @"))
    if isinstance(parameter, str) and any(part in f"{parameter}/" for part in _MOVING):
        allowed = "a parameter that names one image"
        faults.append(Fault(f"{path}.ssmParameter", quoted(parameter), allowed, "name the version in the parameter"))
    if isinstance(name, str) and "*" in name:
        allowed = "one image's name: a pattern selects the newest image"
        faults.append(Fault(f"{path}.name", quoted(name), allowed, "write the image's whole name, or use its id"))
    return faults


_PINNED_IN_CLUSTER = (
    "object.spec.?amiSelectorTerms.orValue([]).all(t, "
    + every(
        '!has(t.alias) || t.alias.matches("@.") && !t.alias.endsWith("@latest")',
        " && ".join(f'!(t.?ssmParameter.orValue("") + "/").contains({literal(part)})' for part in _MOVING),
        '!t.?name.orValue("").contains("*")',
    )
    + ")"
)


PROTECTED_CONSOLIDATION = Rule(
    name="protected-consolidation",
    description="Training and chief NodePools give nodes back only when they are empty.",
    severity=Severity.HIGH,
    remediation="Set spec.disruption.consolidationPolicy to WhenEmpty.",
    kinds=(NODE_POOL,),
    judge=_consolidation,
    admission=Cel(
        "!variables.is_protected || variables.static"
        f' || object.spec.?disruption.?consolidationPolicy.orValue("") == {literal(_WHEN_EMPTY)}'
    ),
)

PROTECTED_EXPIRY = Rule(
    name="protected-expiry",
    description="Nodes of training and chief NodePools do not expire.",
    severity=Severity.HIGH,
    remediation="Set spec.template.spec.expireAfter to Never.",
    kinds=(NODE_POOL,),
    judge=_expiry,
    admission=Cel(
        f'!variables.is_protected || object.spec.template.spec.?expireAfter.orValue("") == {literal(_NEVER)}'
    ),
)

IMAGE_PINNED = Rule(
    name="image-pinned",
    description="A node class names one version of its image.",
    severity=Severity.HIGH,
    remediation="Write the alias with a version instead of @latest, and change it on purpose.",
    kinds=(NODE_CLASS,),
    judge=_moving_images,
    admission=Cel(_PINNED_IN_CLUSTER),
)

RULES = (PROTECTED_CONSOLIDATION, PROTECTED_EXPIRY, IMAGE_PINNED)
