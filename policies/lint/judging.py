"""Checks manifests: the objects of files, the chart values that they set, and the files themselves."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from gpuplatform.analysis.placement.view import StackView
from gpuplatform.faults import Fault
from policies.judge import judge_one, judge_together
from policies.lint.charts import chart_values
from policies.lint.reading import Defect, Document, documents
from policies.rule import RuleFields, Severity, StackRule
from policies.rules import bindings, pods
from policies.subject import Plain, Subject, of_plain


@dataclass(frozen=True, slots=True)
class FileRule:
    """A rule about a file rather than about its objects."""

    name: str
    description: str
    severity: Severity
    remediation: str


LintRule: TypeAlias = RuleFields | FileRule

YAML = FileRule(
    name="yaml",
    description="A manifest is valid YAML, without a duplicate key in a mapping.",
    severity=Severity.HIGH,
    remediation="Correct the file at the named line; render a template before you lint it.",
)

MANIFEST = FileRule(
    name="manifest",
    description="Every document of a manifest is an object: a mapping with apiVersion and kind.",
    severity=Severity.HIGH,
    remediation="Write the key that is missing or misspelt; remove documents that are not objects.",
)

FILE_RULES = (YAML, MANIFEST)

STACK_RULES: tuple[StackRule, ...] = (*bindings.STACK_RULES, *pods.STACK_RULES)
"""Rules over objects of one run. Those over a whole stack are left out: a team's repository does not hold one."""

_IDENTITY = ("apiVersion", "kind")
"""The keys that make a mapping an object."""
_SHOWN_KEYS = 6
"""The most keys to show of a mapping that is not an object."""


@dataclass(frozen=True, slots=True)
class Source:
    """The content of one file or of a pipe."""

    name: str
    """The file's name as given, relative or absolute."""
    content: bytes | None
    """None if it could not be read."""
    reason: str = ""
    """Why it could not."""
    named: bool = False
    """Whether the file itself was named; a file found in a directory may be something else than a manifest."""


@dataclass(frozen=True, slots=True)
class LintFinding:
    """One rule broken by one object, or by a file that holds none."""

    file: str
    line: int
    """From 1: of the field, or of the object where the field is missing."""
    kind: str
    namespace: str
    """Empty if the object names none."""
    name: str
    rule: LintRule
    fault: Fault

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.object_name or 'file'}: {self.rule.name}: {self.fault}"

    @property
    def object_name(self) -> str:
        """``Deployment ml-serving/chat``; empty if the finding is about a file."""
        return " ".join(filter(None, (self.kind, "/".join(filter(None, (self.namespace, self.name))))))


@dataclass(frozen=True, slots=True)
class LintResult:
    """The result of a run."""

    files: int
    objects: int
    findings: tuple[LintFinding, ...]


@dataclass(frozen=True, slots=True)
class _Object:
    """An object and its place in a file."""

    file: str
    document: Document
    prefix: str
    """Of its fields in the document: ``items[0].`` inside a List, else empty."""
    subject: Subject

    def finding(self, rule: LintRule, fault: Fault) -> LintFinding:
        return LintFinding(
            file=self.file,
            line=self.document.line_of(self.prefix + fault.path),
            kind=self.subject.kind,
            namespace=self.subject.namespace or "",
            name=self.subject.name,
            rule=rule,
            fault=fault,
        )


def lint(sources: Iterable[Source], view: StackView | None = None) -> LintResult:
    """Check every object of the sources; with a stack's view, also against the rules about the stack."""
    objects: list[_Object] = []
    findings: list[LintFinding] = []
    positions: dict[str, int] = {}
    for source in sources:
        positions.setdefault(source.name, len(positions))
        new_objects, defects = _objects(source)
        findings += [finding for new_object in new_objects for finding in _findings_about(new_object, view)]
        findings += defects
        objects += new_objects
    findings += _findings_together(objects)
    findings.sort(key=lambda finding: (positions[finding.file], finding.line, finding.rule.name))
    return LintResult(len(positions), len(objects), tuple(findings))


def read(path: Path, name: str, *, named: bool = False) -> Source:
    """A file's content."""
    try:
        return Source(name, path.read_bytes(), named=named)
    except OSError as error:
        return Source(name, None, error.strerror or "unreadable")


def objects_of(source: Source) -> tuple[list[Subject], list[Fault]]:
    """The Kubernetes objects of a file, and the faults of parts that are not objects or cannot be read."""
    objects, defects = _objects(source)
    return [manifest_object.subject for manifest_object in objects], [lint_finding.fault for lint_finding in defects]


def _objects(source: Source) -> tuple[list[_Object], list[LintFinding]]:
    """The Kubernetes objects of a file, and the faults of parts that are not objects or cannot be read."""
    objects: list[_Object] = []
    strays: list[LintFinding] = []
    defects: list[LintFinding] = []
    if source.content is None:
        return [], [_defect_finding(source.name, 1, f"a file that cannot be read ({source.reason})")]
    try:
        text = source.content.decode("utf-8")
    except UnicodeDecodeError:
        return [], [_defect_finding(source.name, 1, "a binary file")]
    for document in documents(text):
        if isinstance(document, Defect):
            defects.append(_defect_finding(source.name, document.line, document.reason))
        else:
            objects += _objects_in(source.name, document, "", document.body)
            strays += _stray_findings(source.name, document, "", document.body)
    # Chart values and workflows are in the same folders; only in a file with objects is another document a mistake.
    is_manifest = source.named or any(_is_object(manifest_object.subject.body) for manifest_object in objects)
    return objects, [*(strays if is_manifest else ()), *defects]


def _objects_in(file: str, document: Document, prefix: str, body: Plain) -> list[_Object]:
    """The object, or the objects of a List; nothing if it is no object."""
    if not isinstance(body, Mapping) or not isinstance(body.get("kind"), str):
        return []
    items = body.get("items")
    if str(body["kind"]).endswith("List") and isinstance(items, list):
        return [
            manifest_object
            for number, item in enumerate(items)
            for manifest_object in _objects_in(file, document, f"{prefix}items[{number}].", item)
        ]
    return [_Object(file, document, prefix, of_plain(body))]


def _stray_findings(file: str, document: Document, prefix: str, body: Plain) -> list[LintFinding]:
    """Parts of a manifest that kubectl would refuse: documents, or items of a List, that are not objects."""
    if not prefix and body is None:
        return []
    if not isinstance(body, Mapping):
        return [
            _stray_finding(
                file,
                document,
                prefix,
                "a list" if isinstance(body, list) else "nothing" if body is None else reprlib.repr(body),
            )
        ]
    if not _is_object(body):
        missing = " and no ".join(key for key in _IDENTITY if not isinstance(body.get(key), str))
        return [_stray_finding(file, document, prefix, f"no {missing}, but {_keys(body)}")]
    items = body.get("items")
    if body["kind"] != "List" or not isinstance(items, list):
        return []
    return [
        stray
        for number, item in enumerate(items)
        for stray in _stray_findings(file, document, f"{prefix}items[{number}].", item)
    ]


def _keys(body: Mapping[str, Plain]) -> str:
    keys = list(body)[:_SHOWN_KEYS]
    return f"{', '.join(keys) or 'nothing'}{' and more' if len(keys) < len(body) else ''}"


def _is_object(body: Mapping[str, Plain]) -> bool:
    return all(isinstance(body.get(key), str) for key in _IDENTITY)


def _stray_finding(file: str, document: Document, prefix: str, given: str) -> LintFinding:
    where = prefix.rstrip(".")
    fault = Fault(
        where or f"document {document.number + 1}",
        given,
        "an object with apiVersion and kind",
        "write the key that is missing or misspelt, or remove this part from the file",
    )
    return LintFinding(file, document.line_of(where), "", "", "", MANIFEST, fault)


def _defect_finding(file: str, line: int, given: str) -> LintFinding:
    fault = Fault(file, given, "YAML in UTF-8, as kubectl reads it", "correct the file, or leave it out")
    return LintFinding(file, line, "", "", "", YAML, fault)


def _findings_about(manifest_object: _Object, view: StackView | None) -> Iterator[LintFinding]:
    """The findings about an object, and about the chart values that it sets."""
    for finding in judge_one(manifest_object.subject, view):
        yield manifest_object.finding(finding.rule, finding.fault)
    for values in chart_values(manifest_object.subject):
        for finding in judge_one(values.release):
            path = values.path_in_object(finding.fault.path)
            yield manifest_object.finding(finding.rule, replace(finding.fault, path=path))


def _findings_together(objects: Sequence[_Object]) -> Iterator[LintFinding]:
    object_of = {id(manifest_object.subject): manifest_object for manifest_object in objects}
    for finding in judge_together([manifest_object.subject for manifest_object in objects], STACK_RULES):
        yield object_of[id(finding.subject)].finding(finding.rule, finding.fault)
