"""The rules that plain manifests are judged by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from policies.rule import Rule, Severity, StackRule
from policies.rules import RULES, VIEW_RULES, bindings, pods
from policies.view_rule import ViewRule


@dataclass(frozen=True, slots=True)
class FileRule:
    """A rule about a file rather than about what is in it."""

    name: str
    description: str
    severity: Severity
    remediation: str


AnyRule: TypeAlias = Rule | StackRule | ViewRule | FileRule

YAML = FileRule(
    name="yaml",
    description="A manifest is YAML that can be read, with no key twice in one mapping.",
    severity=Severity.HIGH,
    remediation="Mend the file at the line that is named; render a template before it is judged.",
)

MANIFEST = FileRule(
    name="manifest",
    description="Every document of a manifest is an object: a mapping with apiVersion and kind.",
    severity=Severity.HIGH,
    remediation="Write the key that is missing or misspelt; take a document that is no object out of the file.",
)

FILE_RULES = (YAML, MANIFEST)

STACK_RULES: tuple[StackRule, ...] = (*bindings.STACK_RULES, *pods.STACK_RULES)
"""Rules over objects of one run. Those over a whole stack are left out: a team's repository does not hold one."""

__all__ = ["FILE_RULES", "MANIFEST", "RULES", "STACK_RULES", "VIEW_RULES", "YAML", "AnyRule", "FileRule"]
