"""The engine's own words, without those that only speak of how it is run here."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TextIO

_NOISE = (
    re.compile(r"warning: using pulumi-\S+ from \$PATH"),
    re.compile(r"resource plugin .* is expected to have version"),
    re.compile(r"^\s*$"),
)
_NOISY_HEADINGS = re.compile(r"^\s+pulumi:providers:\w+ \(.*\):\s*$")


@dataclass(slots=True)
class Relay:
    """Passes lines on as they come; blank runs and noise are dropped."""

    out: TextIO
    errors: list[str] = field(default_factory=list[str])
    _blank: bool = False

    def line(self, text: str) -> None:
        """One or more lines of the engine."""
        for each in text.rstrip("\n").split("\n"):
            self._one(each.rstrip())

    def _one(self, line: str) -> None:
        stripped = line.strip()
        if not stripped:
            self._blank = True
            return
        if any(pattern.search(line) for pattern in _NOISE) or _NOISY_HEADINGS.match(line):
            return
        if stripped.startswith("error:"):
            self.errors.append(stripped.removeprefix("error:").strip())
        if self._blank:
            print(file=self.out)
            self._blank = False
        print(line, file=self.out, flush=True)
