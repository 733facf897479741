"""``python -m tests.policies.mutants``: the pack's table. Exit code 1 where a mutant survives."""

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
        for each in corpus(source)[0]:
            by = verdict(each)
            made.append(each)
            killed.update(map(str, by))
            if not is_noticed(each, by):
                survivors.append(each)
    print(table(killed, Counter(case.rule.name for case in CASES)))
    print(f"\n{summary(counts(made))}")
    for each in survivors:
        print(f"survived: {each}; expected {each.expected}")
    print(f"{len(survivors) or 'no'} mutants survive")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
