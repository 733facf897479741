"""The mutants: every field that some rule reads, of every object, in every way of the table."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import cast

from policies.reads import Path, path_text
from policies.rules import CHANGE_RULES
from policies.subject import UNKNOWN, Plain, Subject
from sandbox.cloud.input_validation import input_problems
from sandbox.cloud.store import Properties
from sandbox.cloud.types import type_names
from tests.policies.documents import GONE, Gone
from tests.policies.mutants import table_cloud, table_cluster, table_escapes, table_nodes, table_pods
from tests.policies.mutants.breaking import EVERY_WAY, Judged, Way, at_path, broken
from tests.policies.mutants.sources import Source, source
from tests.policies.mutants.table import Expected, Judge, Row

ROWS: tuple[Row, ...] = (
    *table_cloud.ROWS,
    *table_escapes.ROWS,
    *table_nodes.ROWS,
    *table_cluster.ROWS,
    *table_pods.ROWS,
)

_OF_CHANGES = {rule.name for rule in CHANGE_RULES}


@dataclass(frozen=True, slots=True)
class Mutant:
    """One object with one field broken."""

    source: str
    number: int
    """The object's position in its source."""
    subject: Subject
    """The object unbroken."""
    path: Path
    way: Way
    value: Plain | Gone
    expected: Expected

    @property
    def broken(self) -> Subject:
        """The object with the field broken."""
        return broken(self.subject, self.path, self.value)

    def __str__(self) -> str:
        became = "nothing" if self.value is GONE else repr(self.value)
        return f"{self.source}: {self.subject}: {path_text(self.path)} becomes {became} ({self.way.value})"


@dataclass(frozen=True, slots=True)
class Gap:
    """A field that a rule reads and that no row covers, broken in one way."""

    subject: Subject
    path: Path
    way: Way

    def __str__(self) -> str:
        return f"{self.subject}: {path_text(self.path)}: no row says who notices it as {self.way.value}"


@functools.cache
def judged(name: str) -> Judged:
    """One of the sources, as every rule reads it."""
    return Judged(source(name))


@functools.cache
def corpus(name: str) -> tuple[tuple[Mutant, ...], tuple[Gap, ...]]:
    """Every mutant of a source, and every field that the table misses."""
    made = tuple(_mutants(source(name), judged(name)))
    return (
        tuple(mutant for mutant in made if isinstance(mutant, Mutant)),
        tuple(gap for gap in made if isinstance(gap, Gap)),
    )


def verdict(mutant: Mutant, by: Judged | None = None) -> frozenset[Expected]:
    """Who notices a mutant before it is applied: our rules by name, or else the schema. Empty if nobody does."""
    rules = (by or judged(mutant.source)).refused_by(mutant.number, mutant.path, mutant.value)
    if mutant.way is Way.UNKNOWN:
        return frozenset(rules - _OF_CHANGES)  # no preview runs them
    if not rules and refused_by_schema(mutant.broken):
        return frozenset({Judge.SCHEMA})
    return frozenset(rules)


def is_noticed(mutant: Mutant, by: frozenset[Expected]) -> bool:
    """Whether the expected judge notices the mutant."""
    if mutant.expected in (Judge.API_SERVER, Judge.UPDATE, Judge.NOBODY):
        return not by
    return mutant.expected in by


def _mutants(broken_source: Source, reader: Judged) -> Iterator[Mutant | Gap]:
    """Every mutant of a source, and a gap for each field that the table misses."""
    for number, subject in enumerate(broken_source.subjects):
        fields = dict.fromkeys(field for reads in reader.reads(number).values() for field in reads.fields)
        fields |= dict.fromkeys(_named_by_rows(subject))
        for path in fields:
            for way, value, expected in _ways(subject, path):
                if expected is None:
                    yield Gap(subject, path, way)
                else:
                    yield Mutant(broken_source.name, number, subject, path, way, value, expected)


def _ways(subject: Subject, path: Path) -> Iterator[tuple[Way, Plain | Gone, Expected | None]]:
    present_value = at_path(subject.body, path)
    about = [row for row in ROWS if row.is_about(subject, path)]
    for way in EVERY_WAY:
        mine = [row for row in about if way in row.ways]
        seen: list[Plain | Gone] = []
        for row in mine:
            for value in row.breaks(present_value, way):
                if value not in seen:
                    seen.append(value)
                    yield way, value, row.expected
            if seen and way is not Way.VALUE:
                break
        if not mine and not _nothing_to_break(present_value, way):
            yield way, None, None
    if present_value is not GONE:
        yield Way.UNKNOWN, UNKNOWN, Judge.UPDATE


def _nothing_to_break(value: Plain | Gone, way: Way) -> bool:
    """An absent field can only get a wrong value. A mapping or a list has no wrong value; its items have."""
    return (value is GONE and way is not Way.VALUE) or (isinstance(value, Mapping | list) and way is Way.VALUE)


def _named_by_rows(subject: Subject) -> Iterator[Path]:
    """Fields that a row names in full and whose holder exists, also if the object lacks the field."""
    for row in ROWS:
        for path in _spelled_out(subject.body, (), row.steps or ()):
            if path and row.is_about(subject, path):
                yield path


def _spelled_out(holder: Plain, path: Path, steps: tuple[str, ...]) -> Iterator[Path]:
    """The paths that steps name in an object; the last step may be absent."""
    if not steps:
        yield path
    elif not steps[0] and isinstance(holder, list):
        for number, item in enumerate(holder):
            yield from _spelled_out(item, (*path, number), steps[1:])
    elif steps[0] and isinstance(holder, Mapping) and (len(steps) == 1 or steps[0] in holder):
        yield from _spelled_out(holder.get(steps[0]), (*path, steps[0]), steps[1:])


def refused_by_schema(subject: Subject) -> bool:
    """Whether the provider refuses the inputs before any rule sees them; False if no stand-in makes the type."""
    version = subject.api_version if "/" in subject.api_version else f"core/{subject.api_version}"
    token = f"kubernetes:{version}:{subject.kind}" if subject.api_version else subject.kind
    return token in type_names() and bool(input_problems(token, cast("Properties", dict(subject.body))))
