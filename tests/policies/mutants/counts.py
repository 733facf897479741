"""What a run of mutants comes to: by judge, and rule by rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from tests.mutant_counts import OURS
from tests.policies.mutants.breaking import EVERY_RULE
from tests.policies.mutants.corpus import Mutant
from tests.policies.mutants.table import Judge


def counts(of: Iterable[Mutant]) -> Counter[str]:
    """Mutants by who notices them; those that are right as well are none."""
    return Counter(
        each.expected.name if isinstance(each.expected, Judge) else OURS
        for each in of
        if each.expected is not Judge.NOBODY
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
