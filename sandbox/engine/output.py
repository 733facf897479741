"""The engine's own words, without those that only speak of how it is run here."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TextIO

_NOISE = (
    # The stand-ins and the pack's starter are on PATH on purpose.
    re.compile(r"warning: using pulumi-\S+ from \$PATH"),
    re.compile(r"resource plugin .* is expected to have version"),
)
_HEADING = re.compile(r"^(Diagnostics:|\s+\S+:\S+ \(.*\):)$")
_WARNING_COUNT = re.compile(r"[;,]? ?\d+ warnings?$")


@dataclass(slots=True)
class Relay:
    """Passes lines on as they come; noise is dropped, and so is a heading under which nothing is left."""

    out: TextIO
    errors: list[str] = field(default_factory=list[str])
    _held: list[str] = field(default_factory=list[str])
    """Headings and blank lines that are printed with the next line that says something."""

    def line(self, text: str) -> None:
        """One or more lines of the engine."""
        for each in text.rstrip("\n").split("\n"):
            self._one(each.rstrip())

    def _one(self, line: str) -> None:
        if any(pattern.search(line) for pattern in _NOISE):
            return
        if not line.strip():
            if self._held[-1:] != [""]:
                self._held.append("")
            return
        if _HEADING.match(line):
            # A heading right after a heading: the first had nothing but noise. Diagnostics begins a section.
            if line != "Diagnostics:":
                self._held = [each for each in self._held if each in ("", "Diagnostics:")]
            self._held.append(line)
            return
        if line[0] not in " \t":
            self._held = [""] if "" in self._held else []
        if line.strip().startswith("error:"):
            self.errors.append(line.strip().removeprefix("error:").strip())
        for held in self._held:
            print(held, file=self.out)
        self._held.clear()
        print(_WARNING_COUNT.sub("", line), file=self.out, flush=True)
