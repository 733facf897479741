"""From the text of manifests to findings: every object of every document, by the rules of its kind."""

from __future__ import annotations

import functools
import reprlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from gpuplatform.faults import Fault
from gpuplatform.proofs.capture.view import StackView
from policies.lint.charts import ChartValues, chart_values
from policies.lint.reading import Broken, Document, documents
from policies.lint.rules import MANIFEST, RULES, STACK_RULES, VIEW_RULES, YAML, AnyRule
from policies.rule import Rule
from policies.subject import Kind, Plain, Subject, of_plain
from policies.view_rule import ViewRule

_IDENTITY = ("apiVersion", "kind")
"""The keys that make a mapping an object."""
_SHOWN_KEYS = 6
"""Of a mapping that is none."""


@dataclass(frozen=True, slots=True)
class Source:
    """One file's content, or what came by a pipe."""

    name: str
    """As a reader names the file: relative where it was given so."""
    content: bytes | None
    """None where it could not be read."""
    reason: str = ""
    """Why it could not."""
    named: bool = False
    """Whether somebody named it as a manifest; a file that a directory holds need not be one."""


@dataclass(frozen=True, slots=True)
class LintFinding:
    """One rule broken by one object, or by a file that holds none."""

    file: str
    line: int
    """From 1: of the field, or of the object where the field is missing."""
    kind: str
    namespace: str
    """Empty where the object names none."""
    name: str
    rule: AnyRule
    fault: Fault

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.object_name or 'file'}: {self.rule.name}: {self.fault}"

    @property
    def object_name(self) -> str:
        """``Deployment ml-serving/chat``; empty where the finding is about a file."""
        return " ".join(filter(None, (self.kind, "/".join(filter(None, (self.namespace, self.name))))))


@dataclass(frozen=True, slots=True)
class Linted:
    """What a run saw and found."""

    files: int
    objects: int
    findings: tuple[LintFinding, ...]


@dataclass(frozen=True, slots=True)
class _Object:
    """An object and where it stands."""

    file: str
    document: Document
    prefix: str
    """Of its fields in the document: ``items[0].`` inside a List, else empty."""
    subject: Subject

    def finding(self, rule: AnyRule, fault: Fault) -> LintFinding:
        return LintFinding(
            file=self.file,
            line=self.document.line_of(self.prefix + fault.path),
            kind=self.subject.kind,
            namespace=self.subject.namespace or "",
            name=self.subject.name,
            rule=rule,
            fault=fault,
        )


def lint(sources: Iterable[Source], view: StackView | None = None) -> Linted:
    """Judge every object of the sources, with the rules about a stack where its view is given."""
    objects: list[_Object] = []
    findings: list[LintFinding] = []
    order: dict[str, int] = {}
    for source in sources:
        order.setdefault(source.name, len(order))
        found, broken = _objects(source)
        findings += [each for one in found for each in _judged(one, view)]
        findings += broken
        objects += found
    findings += _judged_together(objects)
    findings.sort(key=lambda each: (order[each.file], each.line, each.rule.name))
    return Linted(len(order), len(objects), tuple(findings))


def read(path: Path, name: str, *, named: bool = False) -> Source:
    """A file's content."""
    try:
        return Source(name, path.read_bytes(), named=named)
    except OSError as error:
        return Source(name, None, error.strerror or "unreadable")


def objects_of(source: Source) -> tuple[list[Subject], list[Fault]]:
    """The Kubernetes objects of a file, and what in it is none or keeps it from being read on."""
    found, broken = _objects(source)
    return [each.subject for each in found], [each.fault for each in broken]


def _objects(source: Source) -> tuple[list[_Object], list[LintFinding]]:
    """The Kubernetes objects of a file, and what in it is none or keeps it from being read on."""
    found: list[_Object] = []
    strays: list[LintFinding] = []
    broken: list[LintFinding] = []
    if source.content is None:
        return [], [_unreadable(source.name, 1, f"a file that cannot be read ({source.reason})")]
    try:
        text = source.content.decode("utf-8")
    except UnicodeDecodeError:
        return [], [_unreadable(source.name, 1, "a binary file")]
    for document in documents(text):
        if isinstance(document, Broken):
            broken.append(_unreadable(source.name, document.line, document.why))
        else:
            found += _unpacked(source.name, document, "", document.body)
            strays += _strays(source.name, document, "", document.body)
    # A chart's values and a workflow lie in the same folders; beside an object, what is none is a mistake.
    is_manifest = source.named or any(_is_object(each.subject.body) for each in found)
    return found, [*(strays if is_manifest else ()), *broken]


def _unpacked(file: str, document: Document, prefix: str, body: Plain) -> list[_Object]:
    """The object, or the objects of a List; nothing where it is no object."""
    if not isinstance(body, Mapping) or not isinstance(body.get("kind"), str):
        return []
    items = body.get("items")
    if str(body["kind"]).endswith("List") and isinstance(items, list):
        return [
            one
            for number, each in enumerate(items)
            for one in _unpacked(file, document, f"{prefix}items[{number}].", each)
        ]
    return [_Object(file, document, prefix, of_plain(body))]


def _strays(file: str, document: Document, prefix: str, body: Plain) -> list[LintFinding]:
    """What kubectl would refuse in a manifest: a document, or an item of a List, that is no object."""
    if not prefix and body is None:
        return []
    if not isinstance(body, Mapping):
        return [
            _stray(
                file,
                document,
                prefix,
                "a list" if isinstance(body, list) else "nothing" if body is None else reprlib.repr(body),
            )
        ]
    if not _is_object(body):
        missing = " and no ".join(each for each in _IDENTITY if not isinstance(body.get(each), str))
        return [_stray(file, document, prefix, f"no {missing}, but {_keys(body)}")]
    items = body.get("items")
    if body["kind"] != "List" or not isinstance(items, list):
        return []
    return [
        stray
        for number, each in enumerate(items)
        for stray in _strays(file, document, f"{prefix}items[{number}].", each)
    ]


def _keys(body: Mapping[str, Plain]) -> str:
    shown = list(body)[:_SHOWN_KEYS]
    return f"{', '.join(shown) or 'nothing'}{' and more' if len(shown) < len(body) else ''}"


def _is_object(body: Mapping[str, Plain]) -> bool:
    return all(isinstance(body.get(each), str) for each in _IDENTITY)


def _stray(file: str, document: Document, prefix: str, given: str) -> LintFinding:
    where = prefix.rstrip(".")
    fault = Fault(
        where or f"document {document.number + 1}",
        given,
        "an object, with the texts apiVersion and kind",
        "write the key that is missing or misspelt, or take this out of the file",
    )
    return LintFinding(file, document.line_of(where), "", "", "", MANIFEST, fault)


def _unreadable(file: str, line: int, given: str) -> LintFinding:
    fault = Fault(file, given, "YAML in UTF-8, as kubectl reads it", "mend the file, or leave it out")
    return LintFinding(file, line, "", "", "", YAML, fault)


def _judged(one: _Object, view: StackView | None) -> list[LintFinding]:
    found = [one.finding(rule, fault) for rule in _rules_for(_kind(one.subject)) for fault in rule.judge(one.subject)]
    if view is not None:
        rules = _view_rules_for(_kind(one.subject))
        found += [one.finding(rule, fault) for rule in rules for fault in rule.judge(one.subject, view)]
    return found + [each for release in chart_values(one.subject) for each in _judged_release(one, release)]


def _judged_release(one: _Object, values: ChartValues) -> list[LintFinding]:
    return [
        one.finding(rule, Fault(values.path_in_object(fault.path), fault.given, fault.allowed, fault.change))
        for rule in RULES
        if rule.applies_to(values.release)
        for fault in rule.judge(values.release)
    ]


def _judged_together(objects: Sequence[_Object]) -> list[LintFinding]:
    where = {id(each.subject): each for each in objects}
    return [
        where[id(subject)].finding(rule, fault)
        for rule in STACK_RULES
        for subject, fault in rule.judge([each.subject for each in objects if rule.applies_to(each.subject)])
    ]


def _kind(subject: Subject) -> Kind:
    return Kind(subject.api_version.rpartition("/")[0], subject.kind)


@functools.cache
def _rules_for(kind: Kind) -> tuple[Rule, ...]:
    return tuple(rule for rule in RULES if kind in rule.kinds)


@functools.cache
def _view_rules_for(kind: Kind) -> tuple[ViewRule, ...]:
    return tuple(rule for rule in VIEW_RULES if kind in rule.kinds)
