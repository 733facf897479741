"""The engine's output, without the lines that are only about how it is run here."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

_NOISE = (
    # The stand-ins and the script that starts the pack are on PATH on purpose.
    re.compile(r"warning: using pulumi-\S+ from \$PATH"),
    re.compile(r"resource plugin .* is expected to have version"),
    # `down` removes the stack itself.
    re.compile(r"^The resources in the stack have been deleted, but the history"),
    re.compile(r"^If you want to remove the stack completely"),
)
_AGAIN = re.compile(r"error: (an unhandled error occurred:|python inline source runtime error: resource monitor shut)")
"""An error of the program or of a provider that the engine repeats."""
_BUG = re.compile(r"python inline source runtime error:")
_TRACE = "Traceback (most recent call last):"
_DIAGNOSTIC = re.compile(r"^\s*(error|warning|info|debug):")
_HEADING = re.compile(r"^(Diagnostics:|\s+\S+:\S+ \(.*\):)$")
_COUNT = re.compile(r"[;,]? ?\d+ (warning|error)s?$")


@dataclass(slots=True)
class Relay:
    """Prints the engine's lines as they come.

    Noise is dropped, and so is a heading with nothing left under it. A repeated error is printed once. The stack trace
    of an error in the program goes to a file, which is named in its place.
    """

    out: TextIO
    trace_file: Path
    errors: list[str] = field(default_factory=list[str])
    """Every error, whole: an error may have several lines."""
    _pending_lines: list[str] = field(default_factory=list[str])
    """Headings and blank lines that are printed before the next line of content."""
    _dropped_indentation: int | None = None
    """Indentation of the repeated error, or of the frames, that is being dropped."""
    _in_trace: bool = False
    _in_error: bool = False

    def line(self, text: str) -> None:
        """Print one or more lines of the engine."""
        for part in text.rstrip("\n").split("\n"):
            self._one(part.rstrip())

    def _one(self, line: str) -> None:
        if any(pattern.search(line) for pattern in _NOISE) or self._is_dropped(line):
            return
        if not line.strip():
            if self._pending_lines[-1:] != [""]:
                self._pending_lines.append("")
            return
        if _HEADING.match(line):
            # A heading right after another one: only noise was under the first. Diagnostics begins a section.
            if line != "Diagnostics:":
                self._pending_lines = [
                    line_above for line_above in self._pending_lines if line_above in ("", "Diagnostics:")
                ]
            self._pending_lines.append(line)
            return
        if line[0] not in " \t":
            self._pending_lines = [""] if "" in self._pending_lines else []
        self._say(_BUG.sub("the program failed:", line))

    def _is_dropped(self, line: str) -> bool:
        """Whether a line is dropped: it belongs to a repeated error, or to a stack trace."""
        indentation = len(line) - len(line.lstrip())
        if self._dropped_indentation is not None:
            has_ended = line.strip() and (_DIAGNOSTIC.match(line) or indentation < self._dropped_indentation)
            if not has_ended:
                self._trace(line)
                return True
            self._dropped_indentation, self._in_trace = None, False
            if indentation == 0:
                self._pending_lines = [""]  # another section begins
        if _AGAIN.search(line):
            # Under Diagnostics a repeated error may have several lines; beside a resource it has one.
            self._dropped_indentation = indentation if _AGAIN.match(line.strip()) else None
            return True
        if line.strip() == _TRACE:
            self._dropped_indentation, self._in_trace = indentation, True
            self.trace_file.write_text("", encoding="utf-8")
            self._in_error = False
            self._say(f"{line[:indentation]}the stack trace is in {self.trace_file}")
            self._trace(line)
            return True
        return False

    def _trace(self, line: str) -> None:
        if self._in_trace:
            with self.trace_file.open("a", encoding="utf-8") as file:
                file.write(f"{line}\n")

    def _say(self, line: str) -> None:
        text = line.strip()
        if text.startswith("error:"):
            self.errors.append(text.removeprefix("error:").strip())
            self._in_error = True
        elif line.startswith(" ") and self._in_error and not _DIAGNOSTIC.match(line):
            self.errors[-1] += f"\n{text}"
        else:
            self._in_error = False
        for pending_line in self._pending_lines:
            print(pending_line, file=self.out)
            self._in_error = self._in_error and text.startswith("error:")
        self._pending_lines.clear()
        print(_COUNT.sub("", line), file=self.out, flush=True)
