"""The mutants: every field that some rule reads, of every object, in every way of the table."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import cast

from policies.reads import Path, written
from policies.rules import CHANGE_RULES
from policies.subject import UNKNOWN, Plain, Subject
from sandbox.cloud.strict import problems
from sandbox.cloud.types import listed
from sandbox.cloud.world import Properties
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
    """Of the object in its source."""
    subject: Subject
    """The object unbroken."""
    path: Path
    way: Way
    value: Plain | Gone
    expected: Expected

    @property
    def broken(self) -> Subject:
        """The object as it became."""
        return broken(self.subject, self.path, self.value)

    def __str__(self) -> str:
        became = "nothing" if self.value is GONE else repr(self.value)
        return f"{self.source}: {self.subject}: {written(self.path)} becomes {became} ({self.way.value})"


@dataclass(frozen=True, slots=True)
class Gap:
    """A field that a rule reads and no row speaks of, in one way."""

    subject: Subject
    path: Path
    way: Way

    def __str__(self) -> str:
        return f"{self.subject}: {written(self.path)}: no row says who notices it as {self.way.value}"


@functools.cache
def judged(name: str) -> Judged:
    """One of the sources, as every rule reads it."""
    return Judged(source(name))


@functools.cache
def corpus(name: str) -> tuple[tuple[Mutant, ...], tuple[Gap, ...]]:
    """Every mutant of a source, and what the table forgot."""
    made = tuple(_mutants(source(name), judged(name)))
    return (
        tuple(each for each in made if isinstance(each, Mutant)),
        tuple(each for each in made if isinstance(each, Gap)),
    )


def verdict(mutant: Mutant, by: Judged | None = None) -> frozenset[Expected]:
    """Who notices a mutant before it is applied: our rules by name, or else the schema; nobody where it is empty."""
    rules = (by or judged(mutant.source)).refused_by(mutant.number, mutant.path, mutant.value)
    if mutant.way is Way.UNKNOWN:
        return frozenset(rules - _OF_CHANGES)  # no preview runs them
    if not rules and refused_by_schema(mutant.broken):
        return frozenset({Judge.SCHEMA})
    return frozenset(rules)


def is_noticed(mutant: Mutant, by: frozenset[Expected]) -> bool:
    """Whether those who notice are those who are expected to."""
    if mutant.expected in (Judge.API_SERVER, Judge.UPDATE, Judge.NOBODY):
        return not by
    return mutant.expected in by


def _mutants(source: Source, judged: Judged) -> Iterator[Mutant | Gap]:
    """Every mutant of a source, and a gap for each field that the table forgot."""
    for number, subject in enumerate(source.subjects):
        fields = dict.fromkeys(field for reads in judged.reads(number).values() for field in reads.fields)
        fields |= dict.fromkeys(_named_by_rows(subject))
        for path in fields:
            for way, value, expected in _ways(subject, path):
                if expected is None:
                    yield Gap(subject, path, way)
                else:
                    yield Mutant(source.name, number, subject, path, way, value, expected)


def _ways(subject: Subject, path: Path) -> Iterator[tuple[Way, Plain | Gone, Expected | None]]:
    given = at_path(subject.body, path)
    about = [each for each in ROWS if each.is_about(subject, path)]
    for way in EVERY_WAY:
        mine = [each for each in about if way in each.ways]
        seen: list[Plain | Gone] = []
        for each in mine:
            for value in each.breaks(given, way):
                if value not in seen:
                    seen.append(value)
                    yield way, value, each.expected
            if seen and way is not Way.VALUE:
                break
        if not mine and not _nothing_to_break(given, way):
            yield way, None, None
    if given is not GONE:
        yield Way.UNKNOWN, UNKNOWN, Judge.UPDATE


def _nothing_to_break(given: Plain | Gone, way: Way) -> bool:
    """What is not there can only be there with a wrong value; a mapping or a list is wrong in what it holds."""
    return (given is GONE and way is not Way.VALUE) or (isinstance(given, Mapping | list) and way is Way.VALUE)


def _named_by_rows(subject: Subject) -> Iterator[Path]:
    """Fields that a row names outright, where their holder is there: also those that no object has."""
    for each in ROWS:
        for path in _spelled_out(subject.body, (), each.steps or ()):
            if path and each.is_about(subject, path):
                yield path


def _spelled_out(holder: Plain, path: Path, steps: tuple[str, ...]) -> Iterator[Path]:
    """The paths that steps name in an object; the last need not be there."""
    if not steps:
        yield path
    elif not steps[0] and isinstance(holder, list):
        for number, each in enumerate(holder):
            yield from _spelled_out(each, (*path, number), steps[1:])
    elif steps[0] and isinstance(holder, Mapping) and (len(steps) == 1 or steps[0] in holder):
        yield from _spelled_out(holder.get(steps[0]), (*path, steps[0]), steps[1:])


def refused_by_schema(subject: Subject) -> bool:
    """Whether the provider refuses the inputs before any rule sees them; False for what no provider makes here."""
    version = subject.api_version if "/" in subject.api_version else f"core/{subject.api_version}"
    token = f"kubernetes:{version}:{subject.kind}" if subject.api_version else subject.kind
    return token in listed() and bool(problems(token, cast("Properties", dict(subject.body))))
