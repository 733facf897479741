"""Findings in SARIF 2.1.0 (docs.oasis-open.org/sarif/sarif/v2.1.0), which GitHub and others show beside the code."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import quote

from policies.lint.judging import FILE_RULES, STACK_RULES, LintFinding, LintResult, LintRule
from policies.lint.output import message, page
from policies.rule import Severity
from policies.rules import RULES, VIEW_RULES

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
VERSION = "2.1.0"
_LEVELS = {
    Severity.CRITICAL: "error",
    Severity.HIGH: "error",
    Severity.MEDIUM: "warning",
    Severity.LOW: "note",
}
_PROJECT = Path(__file__).resolve().parents[2]
_STANDARD_INPUT = "stdin"


def as_sarif(result: LintResult) -> str:
    """The findings as one SARIF log with one run."""
    rules: tuple[LintRule, ...] = (*RULES, *STACK_RULES, *VIEW_RULES, *FILE_RULES)
    index = {rule.name: number for number, rule in enumerate(rules)}
    driver: dict[str, object] = {"name": "gpuplatform-lint", "rules": [_rule(rule) for rule in rules]}
    run: dict[str, object] = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(finding, index[finding.rule.name]) for finding in result.findings],
    }
    return json.dumps({"$schema": SCHEMA, "version": VERSION, "runs": [run]}, indent=2)


def _rule(rule: LintRule) -> dict[str, object]:
    return {
        "id": rule.name,
        "shortDescription": {"text": rule.description},
        "help": {"text": rule.remediation},
        "helpUri": f"{_PROJECT.as_uri()}/{page(rule)}",
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
    }


def _result(finding: LintFinding, index: int) -> dict[str, object]:
    location: dict[str, object] = {
        "physicalLocation": {
            "artifactLocation": {"uri": _uri(finding.file)},
            "region": {"startLine": finding.line},
        }
    }
    if finding.object_name:
        location["logicalLocations"] = [{"fullyQualifiedName": finding.object_name, "kind": "resource"}]
    return {
        "ruleId": finding.rule.name,
        "ruleIndex": index,
        "level": _LEVELS[finding.rule.severity],
        "message": {"text": message(finding)},
        "locations": [location],
        "properties": {"kind": finding.kind, "namespace": finding.namespace, "name": finding.name},
    }


def _uri(file: str) -> str:
    """A relative file as a relative reference, an absolute one as a file address, a pipe by its usual name."""
    if file == "-":
        return _STANDARD_INPUT
    path = Path(file)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())
