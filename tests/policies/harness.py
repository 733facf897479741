"""How a test asks a rule: directly on plain data, and through the adapter that the engine calls."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import grpc
from google.protobuf import json_format
from pulumi.runtime import proto

from policies.engine import PackServer
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
    """What the same rule reports when the policy engine asks it: floats, secrets, and unknowns as marks."""
    return [each.message for each in diagnostics(rule, *documents) if each.enforcementLevel == proto.MANDATORY]


def diagnostics(rule: Rule | StackRule, *documents: Document) -> list[proto.AnalyzeDiagnostic]:
    """Everything that the engine is told by a pack of one rule."""
    if isinstance(rule, Rule):
        server = PackServer([rule], [])
        answers = [server.Analyze(resource_request(each), NO_CONTEXT) for each in documents]
        return [each for answer in answers for each in answer.diagnostics]
    return list(PackServer([], [rule]).AnalyzeStack(stack_request(documents), NO_CONTEXT).diagnostics)


def resource_request(document: Document) -> proto.AnalyzeRequest:
    """A document as the engine shows a resource."""
    return json_format.ParseDict(_sent(document, 0), proto.AnalyzeRequest())


def stack_request(documents: Sequence[Document]) -> proto.AnalyzeStackRequest:
    """Documents as the engine shows a whole stack."""
    sent = {"resources": [_sent(each, number) for number, each in enumerate(documents)]}
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
