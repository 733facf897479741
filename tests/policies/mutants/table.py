"""The form of the table of mutants: of each field that a rule reads, who notices when it is broken in which way."""

from __future__ import annotations

import enum
import functools
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from policies.reads import Path
from policies.subject import Kind, Plain, Subject
from tests.policies.documents import GONE, Gone
from tests.policies.mutants.breaking import EVERY_WAY, Way


class Judge(enum.StrEnum):
    """Who notices, where it is none of our rules."""

    SCHEMA = "the provider's schema"
    API_SERVER = "the API server itself"
    UPDATE = "the update: unknown at preview, and the preview says so"
    NOBODY = "nobody: it is right as well"


Expected: TypeAlias = "str | Judge"
"""A rule by its name, or another judge."""
Where: TypeAlias = Callable[[Subject, Path], bool]
Wrong: TypeAlias = "Plain | Callable[[Plain | Gone], Plain]"
"""A value, or how it is made of the one that is there."""

_STEP = re.compile(r"\[([^\]]*)\]|([^.\[\]]+)")
_OTHER_TYPE: Plain = {"x": "y"}


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table."""

    kinds: tuple[Kind, ...]
    path: str
    """As a reader would write it, with ``[]`` for any item of a list and ``*`` for any text."""
    expected: Expected
    ways: tuple[Way, ...]
    values: tuple[Wrong, ...]
    """The wrong values, each a mutant; where there are none, a plain word instead of a plain value."""
    where: Where | None
    """Where it applies: None for everywhere."""
    why: str
    """Where nobody notices: why that is right."""

    @property
    def steps(self) -> tuple[str, ...] | None:
        """The keys of the path, empty for any item of a list, where it names its fields outright."""
        return None if "*" in self.path else tuple(name or other for name, other in _STEP.findall(self.path))

    def is_about(self, subject: Subject, path: Path) -> bool:
        """Whether the row speaks of that field of that object."""
        return (
            any(subject.is_a(kind) for kind in self.kinds)
            and _pattern(self.path).fullmatch(shape_of(path)) is not None
            and (self.where is None or self.where(subject, path))
        )

    def breaks(self, value: Plain | Gone, way: Way) -> tuple[Plain | Gone, ...]:
        """What the field becomes; nothing where there is nothing to break."""
        if way is Way.VALUE:
            if not self.values:
                return () if isinstance(value, dict | list) else ("wrong",)
            made = tuple(each(value) if callable(each) else each for each in self.values)
            return tuple(each for each in made if each != value)
        if value is GONE:
            return ()
        if way is Way.REMOVED:
            return (GONE,)
        return ("x",) if isinstance(value, dict | list) else (_OTHER_TYPE,)


def row(
    kinds: Kind | Iterable[Kind],
    path: str,
    expected: Expected,
    *ways: Way,
    values: Iterable[Wrong] = (),
    where: Where | None = None,
    why: str = "",
) -> Row:
    """A row; every way where none is named."""
    of = (kinds,) if isinstance(kinds, Kind) else tuple(kinds)
    return Row(of, path, expected, ways or EVERY_WAY, tuple(values), where, why)


def right(kinds: Kind | Iterable[Kind], path: str, why: str, *ways: Way, **more: Where) -> Row:
    """A row for what may be so or otherwise, and why that is nobody's fault."""
    return row(kinds, path, Judge.NOBODY, *ways, where=more.get("where"), why=why)


def shape_of(path: Path) -> str:
    """A path with every position left out: ``spec.taints[].key``."""
    said = ""
    for each in path:
        if isinstance(each, int):
            said += "[]"
        elif not each.isidentifier():
            said += f"[{each}]"
        else:
            said += f".{each}" if said else each
    return said


@functools.cache
def _pattern(path: str) -> re.Pattern[str]:
    return re.compile(re.escape(path).replace(r"\*", ".*"))
