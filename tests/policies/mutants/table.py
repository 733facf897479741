"""The rows of the table of mutants: for each field that a rule reads and each way to break it, who notices."""

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
    """Who notices a broken field, if none of our rules does."""

    SCHEMA = "the provider's schema"
    API_SERVER = "the API server itself"
    UPDATE = "the update: unknown at preview, and the preview says so"
    NOBODY = "nobody: it is right as well"


Expected: TypeAlias = "str | Judge"
"""A rule by its name, or another judge."""
Where: TypeAlias = Callable[[Subject, Path], bool]
Wrong: TypeAlias = "Plain | Callable[[Plain | Gone], Plain]"
"""A value, or a function of the present value."""

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
    """The condition under which the row applies; None for always."""
    why: str
    """If nobody notices: why that is right."""

    @property
    def steps(self) -> tuple[str, ...] | None:
        """The keys of the path, with an empty key for any item of a list; None if the path has a wildcard."""
        return None if "*" in self.path else tuple(name or other for name, other in _STEP.findall(self.path))

    def is_about(self, subject: Subject, path: Path) -> bool:
        """Whether the row is about that field of that object."""
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
            made = tuple(wrong(value) if callable(wrong) else wrong for wrong in self.values)
            return tuple(became for became in made if became != value)
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
    """A row; without ways it is for every way."""
    of = (kinds,) if isinstance(kinds, Kind) else tuple(kinds)
    return Row(of, path, expected, ways or EVERY_WAY, tuple(values), where, why)


def right(kinds: Kind | Iterable[Kind], path: str, why: str, *ways: Way, **more: Where) -> Row:
    """A row for a field whose other values are right as well, and why."""
    return row(kinds, path, Judge.NOBODY, *ways, where=more.get("where"), why=why)


def shape_of(path: Path) -> str:
    """A path with every position left out: ``spec.taints[].key``."""
    shape = ""
    for step in path:
        if isinstance(step, int):
            shape += "[]"
        elif not step.isidentifier():
            shape += f"[{step}]"
        else:
            shape += f".{step}" if shape else step
    return shape


@functools.cache
def _pattern(path: str) -> re.Pattern[str]:
    return re.compile(re.escape(path).replace(r"\*", ".*"))
