"""Runs a rule for a test: directly on plain data, and through the server that the engine calls."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import grpc
from google.protobuf import json_format
from pulumi.runtime import proto

from policies.engine import PackServer
from policies.judge import apply
from policies.rule import Rule, StackRule
from policies.subject import Subject, Unknown, of_document, of_resource
from policies.wire import UNKNOWN_MARKS
from tests.policies.documents import Document

NO_CONTEXT = cast("grpc.ServicerContext", None)
_UNKNOWN = min(UNKNOWN_MARKS)


@dataclass(frozen=True, slots=True)
class Case:
    """One way to break one rule."""

    rule: Rule | StackRule
    broken: str
    """The mistake in words: the test's name."""
    documents: tuple[Document, ...]
    says: tuple[str, ...]
    """Words that the message must contain: the fault and the change."""

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
    """The faults that a rule finds in plain documents."""
    subjects = [judged for judged in map(subject, documents) if rule.applies_to(judged)]
    return [str(finding.fault) for finding in apply(rule, subjects)]


def engine_verdict(rule: Rule | StackRule, *documents: Document) -> list[str]:
    """What the same rule reports when the policy engine asks it: floats, secrets, and unknowns as marks."""
    return [
        diagnostic.message
        for diagnostic in diagnostics(rule, *documents)
        if diagnostic.enforcementLevel == proto.MANDATORY
    ]


def diagnostics(rule: Rule | StackRule, *documents: Document) -> list[proto.AnalyzeDiagnostic]:
    """Every diagnostic of a pack with one rule."""
    if isinstance(rule, Rule):
        server = PackServer([rule], [])
        answers = [server.Analyze(resource_request(document), NO_CONTEXT) for document in documents]
        return [diagnostic for answer in answers for diagnostic in answer.diagnostics]
    return list(PackServer([], [rule]).AnalyzeStack(stack_request(documents), NO_CONTEXT).diagnostics)


def resource_request(document: Document) -> proto.AnalyzeRequest:
    """A document as the engine shows a resource."""
    return json_format.ParseDict(_sent(document, 0), proto.AnalyzeRequest())


def stack_request(documents: Sequence[Document]) -> proto.AnalyzeStackRequest:
    """Documents as the engine shows a whole stack."""
    sent = {"resources": [_sent(document, number) for number, document in enumerate(documents)]}
    return json_format.ParseDict(sent, proto.AnalyzeStackRequest())


def _sent(document: Document, number: int) -> dict[str, object]:
    return {"type": token_of(document), "urn": f"urn:{number}", "name": "it", "properties": wire(document)}


def wire(document: Document) -> dict[str, object]:
    """Inputs as they travel: every number a float, every unknown the engine's mark."""
    kept = {key: value for key, value in document.items() if ":" not in str(document["kind"]) or key != "kind"}
    text = json.dumps(kept, default=lambda value: _UNKNOWN if isinstance(value, Unknown) else str(value))
    return cast("dict[str, object]", json.loads(text, parse_int=float))


def token_of(document: Document) -> str:
    kind = str(document["kind"])
    if ":" in kind:
        return kind
    version = str(document["apiVersion"])
    return f"kubernetes:{version if '/' in version else f'core/{version}'}:{kind}"
