"""``python -m tests.policies.mutants``: print the table of rules and mutants. Exit code 1 if a mutant survives."""

from __future__ import annotations

import sys
from collections import Counter

from tests.mutant_counts import summary
from tests.policies.corpus import CASES
from tests.policies.mutants.corpus import Mutant, corpus, is_noticed, verdict
from tests.policies.mutants.counts import counts, table
from tests.policies.mutants.sources import SOURCES


def main() -> int:
    """Judge every mutant of every source."""
    made: list[Mutant] = []
    killed: Counter[str] = Counter()
    survivors: list[Mutant] = []
    for source in SOURCES:
        for mutant in corpus(source)[0]:
            by = verdict(mutant)
            made.append(mutant)
            killed.update(map(str, by))
            if not is_noticed(mutant, by):
                survivors.append(mutant)
    print(table(killed, Counter(case.rule.name for case in CASES)))
    print(f"\n{summary(counts(made))}")
    for survivor in survivors:
        print(f"survived: {survivor}; expected {survivor.expected}")
    print(f"{len(survivors) or 'no'} mutants survive")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
