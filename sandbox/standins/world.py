"""What exists: the account and the clusters that the stand-ins act on, shared by their processes.

One file, JSON lines: every creation, update and deletion in order. Replaying it gives what exists now, so it is the
world and its journal at once; an entry is one append under a lock, and a last line that a killed process left half
written is cut off by the next one.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock

from sandbox.standins.plain import Plain

JOURNAL = "journal.jsonl"


@dataclass(frozen=True, slots=True)
class Made:
    """One thing that exists."""

    token: str
    """Its type."""
    scope: str
    """Where its id is unique: ``aws``, or the endpoint of the cluster that holds it."""
    id: str
    urn: str
    inputs: dict[str, Plain]
    outputs: dict[str, Plain]

    @property
    def key(self) -> tuple[str, str, str]:
        """What no two things share."""
        return self.scope, self.token, self.id


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the journal."""

    time: str
    """UTC, ISO 8601."""
    verb: str
    """``create``, ``update`` or ``delete``."""
    made: Made


@dataclass(slots=True)
class World:
    """The world of one stack. Read and change it inside ``held()`` only."""

    file: Path
    things: dict[tuple[str, str, str], Made] = field(default_factory=lambda: {})
    _generations: dict[str, int] = field(default_factory=lambda: {})
    _read_bytes: int = 0

    @contextmanager
    def held(self) -> Iterator[World]:
        """Hold the world: nobody else changes it meanwhile, and everything that others did is known."""
        self.file.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(self.file.with_suffix(".lock")):
            self._catch_up()
            yield self

    def generation(self, urn: str) -> int:
        """How often this URN has been made before."""
        return self._generations.get(urn, 0)

    def make(self, made: Made) -> None:
        """Add a thing."""
        self._append("create", made)

    def change(self, made: Made) -> None:
        """Put a thing in the place of the one with its key."""
        self._append("update", made)

    def unmake(self, made: Made) -> None:
        """Take a thing away."""
        self._append("delete", made)

    def of_type(self, token: str, scope: str) -> list[Made]:
        """Everything of a type in a scope."""
        return [made for made in self.things.values() if made.token == token and made.scope == scope]

    def _append(self, verb: str, made: Made) -> None:
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        line = json.dumps({"time": now, "verb": verb, "made": asdict(made)}, separators=(",", ":")) + "\n"
        data = line.encode()
        with self.file.open("ab") as journal:
            journal.write(data)
        self._read_bytes += len(data)
        self._apply(Entry(now, verb, made))

    def _catch_up(self) -> None:
        if not self.file.exists():
            return
        with self.file.open("rb") as journal:
            journal.seek(self._read_bytes)
            new = journal.read()
        whole = new[: new.rfind(b"\n") + 1]
        if len(whole) < len(new):
            os.truncate(self.file, self._read_bytes + len(whole))
        for line in whole.splitlines():
            self._apply(_entry(line))
        self._read_bytes += len(whole)

    def _apply(self, entry: Entry) -> None:
        made = entry.made
        if entry.verb == "delete":
            self.things.pop(made.key, None)
            return
        if entry.verb == "create":
            self._generations[made.urn] = self._generations.get(made.urn, 0) + 1
        self.things[made.key] = made


def journal(file: Path) -> list[Entry]:
    """Every entry of a journal, in order; empty where there is no file."""
    if not file.exists():
        return []
    return [_entry(line) for line in file.read_bytes().splitlines(keepends=True) if line.endswith(b"\n")]


def _entry(line: bytes) -> Entry:
    data = json.loads(line)
    return Entry(data["time"], data["verb"], Made(**data["made"]))
