"""The counts of a run of mutants, by judge and by rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from tests.mutant_counts import OURS
from tests.policies.mutants.breaking import EVERY_RULE
from tests.policies.mutants.corpus import Mutant
from tests.policies.mutants.table import Judge


def counts(of: Iterable[Mutant]) -> Counter[str]:
    """The number of mutants that each judge notices; a mutant that is also right is not counted."""
    return Counter(
        mutant.expected.name if isinstance(mutant.expected, Judge) else OURS
        for mutant in of
        if mutant.expected is not Judge.NOBODY
    )


def table(killed: Mapping[str, int], tested: Mapping[str, int]) -> str:
    """The pack, rule by rule: severity, cases that break it on purpose, mutants that it kills."""
    rows = [("rule", "severity", "cases", "mutants")]
    rows += [
        (rule.name, rule.severity.value, str(tested.get(rule.name, 0)), str(killed.get(rule.name, 0)))
        for rule in sorted(EVERY_RULE, key=lambda rule: rule.name)
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        f"{name:{widths[0]}}  {severity:{widths[1]}}  {cases:>{widths[2]}}  {mutants:>{widths[3]}}"
        for name, severity, cases, mutants in rows
    )
