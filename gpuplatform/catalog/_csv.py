"""The reader of the catalog's CSV files: they are part of the package, with one header line and ``#`` comments."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Mapping
from importlib import resources
from typing import TypeVar

T = TypeVar("T")


def table(file: str, build: Callable[[Mapping[str, str]], T]) -> tuple[T, ...]:
    """Every row of one data file, in its order, as the object that ``build`` makes from it.

    ``build`` gets a mapping from column to text. The files are part of the package, so a row that cannot be built is
    a defect of the package and not bad input: it raises ValueError with the file and the row's number.
    """
    text = (resources.files("gpuplatform.catalog") / "data" / file).read_text(encoding="utf-8")
    return parse(text.splitlines(), build, file)


def parse(lines: Iterable[str], build: Callable[[Mapping[str, str]], T], file: str) -> tuple[T, ...]:
    """Every row of some lines of text, as ``build`` makes it; ``file`` names the lines in errors."""
    rows = csv.DictReader((line for line in lines if not line.startswith("#")), strict=True)
    built: list[T] = []
    for number, row in enumerate(rows, start=1):
        try:
            built.append(build(row))
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{file}: row {number} cannot be read: {error!r}") from error
    return tuple(built)


def flag(text: str) -> bool:
    """``true`` or ``false``, and nothing else."""
    if text not in ("true", "false"):
        raise ValueError(f"{text!r} is neither true nor false")
    return text == "true"


def cited(text: str) -> str:
    """The text of a row's source; ValueError where the row has none."""
    if not text:
        raise ValueError("no source")
    return text
