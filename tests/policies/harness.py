"""How a test asks a rule: directly on plain data, and through the adapter that the engine calls."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from pulumi_policy import (
    PolicyCustomTimeouts,
    PolicyResource,
    PolicyResourceOptions,
    ResourceValidationArgs,
    ResourceValidationPolicy,
    StackValidationArgs,
    StackValidationPolicy,
)
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE, unknown_checking_proxy

from policies.engine import policies_of
from policies.rule import Rule, StackRule
from policies.subject import Subject, Unknown, of_document, of_resource
from tests.policies.documents import Document


@dataclass(frozen=True, slots=True)
class Case:
    """One way to break one rule."""

    rule: Rule | StackRule
    broken: str
    """What is wrong, in words: the test's name."""
    documents: tuple[Document, ...]
    says: tuple[str, ...]
    """Words that the message must have: what is wrong, and what to change."""

    def __str__(self) -> str:
        return f"{self.rule.name}: {self.broken}"


def case(rule: Rule | StackRule, broken: str, document: Document | Sequence[Document], *says: str) -> Case:
    documents = (document,) if isinstance(document, dict) else tuple(document)
    return Case(rule, broken, documents, says)


def subject(document: Document) -> Subject:
    """A document as a subject; one whose kind is a token is a cloud resource."""
    kind = str(document["kind"])
    if ":" in kind:
        return of_resource(kind, "it", {key: value for key, value in document.items() if key != "kind"})
    return of_document(document)


def verdict(rule: Rule | StackRule, *documents: Document) -> list[str]:
    """What a rule says of plain documents."""
    subjects = [each for each in map(subject, documents) if rule.applies_to(each)]
    if isinstance(rule, Rule):
        return [str(fault) for each in subjects for fault in rule.judge(each)]
    return [str(fault) for _, fault in rule.judge(subjects)]


def engine_verdict(rule: Rule | StackRule, *documents: Document) -> list[str]:
    """What the same rule reports when the policy engine asks it: proxies, floats, and unknowns that raise."""
    said: list[str] = []

    def report(message: str, urn: str | None = None) -> None:
        said.append(message)

    policy = policies_of([rule], [])[-1] if isinstance(rule, Rule) else policies_of([], [rule])[-1]
    if isinstance(policy, ResourceValidationPolicy):
        for document in documents:
            token, props = as_resource(document)
            policy.validate(ResourceValidationArgs(token, props, "urn", "it", _options(), None), report)  # pyright: ignore[reportUnknownMemberType]
    else:
        assert isinstance(policy, StackValidationPolicy)
        policy.validate(StackValidationArgs([_resource(*as_resource(each)) for each in documents]), report)  # pyright: ignore[reportUnknownMemberType]
    return said


def as_resource(document: Document) -> tuple[str, dict[str, object]]:
    """A document as the engine hands it to a policy: its type's token and its proxied inputs."""
    return token_of(document), unknown_checking_proxy(wire(document))


def wire(document: Document) -> dict[str, object]:
    """Inputs as they travel: every number a float, every unknown the engine's mark."""
    kept = {key: value for key, value in document.items() if ":" not in str(document["kind"]) or key != "kind"}
    text = json.dumps(kept, default=lambda value: UNKNOWN_STRING_VALUE if isinstance(value, Unknown) else str(value))
    return cast("dict[str, object]", json.loads(text, parse_int=float))


def token_of(document: Document) -> str:
    kind = str(document["kind"])
    if ":" in kind:
        return kind
    version = str(document["apiVersion"])
    return f"kubernetes:{version if '/' in version else f'core/{version}'}:{kind}"


def _options() -> PolicyResourceOptions:
    return PolicyResourceOptions(False, [], None, [], PolicyCustomTimeouts(0, 0, 0), [], None)


def _resource(token: str, props: dict[str, object]) -> PolicyResource:
    return PolicyResource(token, props, f"urn:{token}", "it", _options(), None, None, [], {})
