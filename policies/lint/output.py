"""Findings as text for people, as JSON for programs, as GitHub's workflow commands."""

from __future__ import annotations

import json
from collections.abc import Iterator

from policies.lint.judging import FileRule, LintFinding, LintResult, LintRule
from policies.rule import Severity

_PAGE = "docs/reference/policies.md"
_PAGE_OF_FILES = "docs/guides/lint.md#what-is-judged"
_COMMANDS = {
    Severity.CRITICAL: "error",
    Severity.HIGH: "error",
    Severity.MEDIUM: "warning",
    Severity.LOW: "notice",
}


def as_text(result: LintResult) -> str:
    """Each finding in four lines, and a summary."""
    lines: list[str] = []
    for finding in result.findings:
        subject = f"{finding.object_name}: " if finding.object_name else ""
        lines += [
            f"{finding.file}:{finding.line}: {subject}{finding.rule.name} ({finding.rule.severity.value})",
            f"    {finding.fault.path}: given {finding.fault.given}",
            f"    allowed: {finding.fault.allowed}",
            f"    change:  {finding.fault.change}",
        ]
    return "\n".join([*lines, summary(result)])


def summary(result: LintResult) -> str:
    """The numbers of files, objects and findings, in one line."""
    count = len(result.findings)
    parts = [_count(result.files, "file"), _count(result.objects, "object")]
    return f"{', '.join(parts)}: {_count(count, 'finding') if count else 'no findings'}"


def as_json(result: LintResult) -> str:
    """The findings as one JSON document."""
    return json.dumps(
        {
            "files": result.files,
            "objects": result.objects,
            "findings": [_plain(finding) for finding in result.findings],
        },
        indent=2,
    )


def as_github(result: LintResult) -> str:
    """Workflow commands that put each finding on its line of the pull request, and a summary."""
    return "\n".join([*_commands(result), summary(result)])


def message(finding: LintFinding) -> str:
    """What is wrong and what to change, in one sentence."""
    return f"{finding.object_name}: {finding.fault}" if finding.object_name else str(finding.fault)


def page(rule: LintRule) -> str:
    """Where the rule is explained, in the platform's repository."""
    return _PAGE_OF_FILES if isinstance(rule, FileRule) else f"{_PAGE}#{rule.name}"


def _plain(finding: LintFinding) -> dict[str, object]:
    return {
        "file": finding.file,
        "line": finding.line,
        "kind": finding.kind,
        "namespace": finding.namespace,
        "name": finding.name,
        "rule": finding.rule.name,
        "severity": finding.rule.severity.value,
        "path": finding.fault.path,
        "given": finding.fault.given,
        "allowed": finding.fault.allowed,
        "change": finding.fault.change,
        "message": message(finding),
        "page": page(finding.rule),
    }


def _commands(result: LintResult) -> Iterator[str]:
    for finding in result.findings:
        command = _COMMANDS[finding.rule.severity]
        parts = f"file={_property(finding.file)},line={finding.line},title={_property(finding.rule.name)}"
        yield f"::{command} {parts}::{_data(message(finding))}"


def _data(text: str) -> str:
    """Text as a workflow command carries it (docs.github.com, workflow commands for GitHub Actions)."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _count(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"
