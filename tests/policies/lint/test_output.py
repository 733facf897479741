"""How findings are written for people, scripts, code scanning and pull requests."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import cast

import fastjsonschema  # pyright: ignore[reportMissingTypeStubs]
import pytest

from gpuplatform.faults import Fault
from policies.lint.judging import (
    FILE_RULES,
    STACK_RULES,
    YAML,
    LintFinding,
    LintResult,
    Source,
    lint,
    read,
)
from policies.lint.output import as_github, as_json, as_text
from policies.lint.sarif import SCHEMA, as_sarif
from policies.rules import RULES, VIEW_RULES
from policies.rules.pods.requests import POD_RUNTIME_CLASS
from policies.rules.priorities import PRIORITY_CLASS_NOT_DEFAULT
from sandbox.tools.module_files import SARIF_SCHEMA, files_at_hand
from tests.tiers import at_hand

FIXTURES = sorted((Path(__file__).parent / "fixtures").glob("*.yaml"))
FOUND = LintFinding(
    file="deploy/my chat.yaml",
    line=7,
    kind="Deployment",
    namespace="ml-serving",
    name="chat",
    rule=POD_RUNTIME_CLASS,
    fault=Fault("spec.a", "100% of\nit", "nothing, really", "mend: it"),
)
BROKEN = LintFinding("-", 1, "", "", "", YAML, Fault("-", "a binary file", "YAML", "mend it"))
LINTED = LintResult(2, 1, (FOUND, BROKEN))
CLEAN = LintResult(1, 3, ())


def test_text_says_where_what_and_how_to_mend_it() -> None:
    lines = as_text(LINTED).splitlines()
    assert lines[0] == "deploy/my chat.yaml:7: Deployment ml-serving/chat: pod-runtime-class (medium)"
    assert "    change:  mend: it" in lines
    assert lines[-1] == "2 files, 1 object: 2 findings"
    assert as_text(CLEAN) == "1 file, 3 objects: no findings"


def test_json_carries_kind_namespace_and_name() -> None:
    read = json.loads(as_json(LINTED))
    first, second = read["findings"]
    assert (first["kind"], first["namespace"], first["name"]) == ("Deployment", "ml-serving", "chat")
    assert (first["rule"], first["severity"], first["file"], first["line"]) == (
        "pod-runtime-class",
        "medium",
        "deploy/my chat.yaml",
        7,
    )
    assert first["page"] == "docs/reference/policies.md#pod-runtime-class"
    assert second["page"] == "docs/guides/lint.md#what-is-judged"
    assert json.loads(as_json(CLEAN)) == {"files": 1, "objects": 3, "findings": []}


def test_a_workflow_command_is_one_line_whatever_the_message_has() -> None:
    first, second, last = as_github(LINTED).splitlines()
    assert first == (
        "::warning file=deploy/my chat.yaml,line=7,title=pod-runtime-class"
        "::Deployment ml-serving/chat: spec.a: given 100%25 of%0Ait; allowed: nothing, really. Change: mend: it"
    )
    assert second.startswith("::error file=-,line=1,title=yaml::")
    assert not last.startswith("::")


def test_a_comma_in_a_file_s_name_does_not_end_the_property() -> None:
    odd = lint([Source("a,b:c.yaml", b"\xff")])
    assert "file=a%2Cb%3Ac.yaml,line=1" in as_github(odd)


def test_sarif_has_what_its_schema_requires() -> None:
    log = json.loads(as_sarif(LINTED))
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    rules = cast("list[dict[str, object]]", run["tool"]["driver"]["rules"])
    assert [rule["id"] for rule in rules] == [rule.name for rule in (*RULES, *STACK_RULES, *VIEW_RULES, *FILE_RULES)]
    assert all(str(rule["helpUri"]).startswith("file:///") for rule in rules)
    first, second = run["results"]
    assert rules[first["ruleIndex"]]["id"] == first["ruleId"] == "pod-runtime-class"
    assert (first["level"], second["level"]) == ("warning", "error")
    assert first["message"]["text"].startswith("Deployment ml-serving/chat: ")
    (location,) = first["locations"]
    assert location["physicalLocation"] == {
        "artifactLocation": {"uri": "deploy/my%20chat.yaml"},
        "region": {"startLine": 7},
    }
    assert location["logicalLocations"] == [{"fullyQualifiedName": "Deployment ml-serving/chat", "kind": "resource"}]
    assert second["locations"][0]["physicalLocation"]["artifactLocation"] == {"uri": "stdin"}
    assert json.loads(as_sarif(CLEAN))["runs"][0]["results"] == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "linted", [LINTED, CLEAN, lint(read(path, path.name) for path in FIXTURES)], ids=["two", "none", "all"]
)
def test_sarif_is_what_its_published_schema_asks_for(linted: LintResult) -> None:
    folder = at_hand("cluster", files_at_hand(SARIF_SCHEMA))
    text = (folder / "schema.go").read_text(encoding="utf-8")
    published = json.loads(text.split("`")[1])
    assert published["id"] == SCHEMA
    validate = cast("Callable[[object], object]", fastjsonschema.compile(published))  # pyright: ignore[reportUnknownMemberType]

    validate(json.loads(as_sarif(linted)))
    with pytest.raises(fastjsonschema.JsonSchemaException):
        validate({**json.loads(as_sarif(linted)), "version": "2.0.0"})


def test_every_severity_has_a_level_everywhere() -> None:
    for rule in (*RULES, *STACK_RULES, *VIEW_RULES, PRIORITY_CLASS_NOT_DEFAULT):
        linted_one = LintResult(1, 1, (LintFinding("a", 1, "A", "", "a", rule, FOUND.fault),))
        assert json.loads(as_sarif(linted_one))["runs"][0]["results"][0]["level"] in ("error", "warning", "note")
        assert as_github(linted_one).startswith(("::error ", "::warning ", "::notice "))
