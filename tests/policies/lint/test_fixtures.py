"""Each known mistake has its own file: the rule in its first line finds the mistake, and no other rule does."""

from __future__ import annotations

from pathlib import Path

import pytest

from policies.lint.judging import LintFinding, lint, read

FIXTURES = sorted((Path(__file__).parent / "fixtures").glob("*.yaml"))
CORRECTED = {1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 16, 17, 18, 19, 21, 22, 23, 26}
"""The slips of the source documents, by number, that a rule about plain manifests can hold."""


def expected(path: Path) -> str:
    first = path.read_text(encoding="utf-8").splitlines()[0]
    assert first.startswith("# expect: "), path
    return first.removeprefix("# expect: ")


def findings(*paths: Path) -> tuple[LintFinding, ...]:
    return lint(read(path, path.name) for path in paths).findings


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_a_mistake_is_found_by_its_rule_alone_with_object_and_line(path: Path) -> None:
    linted = findings(path)
    assert {lint_finding.rule.name for lint_finding in linted} == {expected(path)}
    lines = path.read_text(encoding="utf-8").splitlines()
    assert all(2 < finding.line <= len(lines) for finding in linted)
    assert all(finding.kind and finding.name for finding in linted if finding.rule.name != "yaml")


def test_together_they_are_found_as_when_they_stand_alone() -> None:
    together = {(finding.file, finding.rule.name) for finding in findings(*FIXTURES)}
    assert together == {(path.name, expected(path)) for path in FIXTURES}


def test_there_is_a_file_for_every_slip_that_a_rule_can_hold() -> None:
    assert {int(path.name.split("-")[0]) for path in FIXTURES} >= CORRECTED
