"""The store: a file of the resources that the stand-ins have made, with a journal; and the paths of a stack's files."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_NONE = "-"


@dataclass(frozen=True, slots=True)
class StackFiles:
    """Files of one stack on this machine."""

    world: Path
    """The file of the store."""
    stack_file: Path
    control_plane: Path | None
    """The folder of a real control plane, where there is one; then Kubernetes objects go there."""

    def arguments(self) -> list[str]:
        """The files as arguments of a command line."""
        return [str(self.world), str(self.stack_file), str(self.control_plane or _NONE)]

    @classmethod
    def of(cls, arguments: list[str]) -> StackFiles:
        """The files from the arguments of a command line."""
        world, stack_file, control_plane = arguments
        return cls(Path(world), Path(stack_file), None if control_plane == _NONE else Path(control_plane))


Plain = None | bool | int | float | str | list["Plain"] | dict[str, "Plain"]
Properties = dict[str, Plain]

_SCHEMA = """
CREATE TABLE IF NOT EXISTS resources (
  urn TEXT NOT NULL, type TEXT NOT NULL, id TEXT NOT NULL, inputs TEXT NOT NULL, outputs TEXT NOT NULL,
  PRIMARY KEY (type, id)
);
CREATE INDEX IF NOT EXISTS by_urn ON resources (urn);
CREATE TABLE IF NOT EXISTS identities (value TEXT NOT NULL, type TEXT NOT NULL, id TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS by_value ON identities (value);
CREATE INDEX IF NOT EXISTS identities_of ON identities (type, id);
CREATE TABLE IF NOT EXISTS uses (value TEXT NOT NULL, type TEXT NOT NULL, id TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS by_used ON uses (value);
CREATE INDEX IF NOT EXISTS uses_of ON uses (type, id);
CREATE TABLE IF NOT EXISTS journal (at REAL NOT NULL, operation TEXT NOT NULL, urn TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS journal_of ON journal (urn);
"""
_LOCK_SECONDS = 60
_FORGET = tuple(f"DELETE FROM {table} WHERE type = ? AND id = ?" for table in ("resources", "identities", "uses"))


@dataclass(frozen=True, slots=True)
class Entry:
    """One resource that was made."""

    urn: str
    type: str
    id: str
    inputs: Properties
    outputs: Properties


@dataclass(frozen=True, slots=True)
class Event:
    """One line of the journal."""

    at: float
    """Seconds since the epoch."""
    operation: str
    """create, update or delete."""
    urn: str


class Store:
    """The store. Every call opens its file anew: several processes and threads share it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        with self._open() as connection:
            connection.executescript(_SCHEMA)

    @contextmanager
    def _open(self) -> Generator[sqlite3.Connection]:
        connection = sqlite3.connect(self._path, timeout=_LOCK_SECONDS, isolation_level=None)
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=OFF")  # a power cut may lose it; a killed process may not
            yield connection
        finally:
            connection.close()

    @contextmanager
    def _change(self, operation: str, urn: str) -> Generator[sqlite3.Connection]:
        with self._open() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("INSERT INTO journal VALUES (?, ?, ?)", (time.time(), operation, urn))
                connection.execute("COMMIT")
            except BaseException:
                connection.execute("ROLLBACK")
                raise

    def create(self, entry: Entry, identities: set[str], uses: set[str]) -> None:
        """Record a new resource. ``identities`` are the names of the resource, ``uses`` the names that it refers to."""
        with self._change("create", entry.urn) as connection:
            _remember(connection, entry, identities, uses)

    def update(self, entry: Entry, identities: set[str], uses: set[str]) -> None:
        """Record a change of a resource."""
        with self._change("update", entry.urn) as connection:
            _forget(connection, entry.type, entry.id)
            _remember(connection, entry, identities, uses)

    def delete(self, entry: Entry) -> None:
        """Remove a resource."""
        with self._change("delete", entry.urn) as connection:
            _forget(connection, entry.type, entry.id)

    def find(self, type_: str, id_: str) -> Entry | None:
        """The resource with that type and id; None where there is none."""
        entries = self._entries("SELECT * FROM resources WHERE type = ? AND id = ?", type_, id_)
        return entries[0] if entries else None

    def of_urn(self, urn: str) -> tuple[Entry, ...]:
        """The resources that were made under a URN; several only in the middle of a replacement."""
        return self._entries("SELECT * FROM resources WHERE urn = ? ORDER BY rowid", urn)

    def has_name(self, value: str) -> bool:
        """Whether a resource has an id, ARN or name."""
        with self._open() as connection:
            row = connection.execute("SELECT 1 FROM identities WHERE value = ? LIMIT 1", (value,)).fetchone()
        return row is not None

    def users(self, entry: Entry) -> tuple[Entry, ...]:
        """The resources that refer to a resource by one of its identities."""
        query = """
            SELECT DISTINCT r.* FROM identities i JOIN uses u ON u.value = i.value
            JOIN resources r ON r.type = u.type AND r.id = u.id
            WHERE i.type = ?1 AND i.id = ?2 AND NOT (r.type = ?1 AND r.id = ?2)
        """
        return self._entries(query, entry.type, entry.id)

    def everything(self) -> tuple[Entry, ...]:
        """Every resource, oldest first."""
        return self._entries("SELECT * FROM resources ORDER BY rowid")

    def of_kind(self, type_prefix: str) -> tuple[Entry, ...]:
        """Every resource whose type begins with a prefix."""
        return self._entries("SELECT * FROM resources WHERE substr(type, 1, length(?1)) = ?1", type_prefix)

    def creations(self, urn: str) -> int:
        """How often a resource was made under a URN."""
        query = "SELECT count(*) FROM journal WHERE urn = ? AND operation = 'create'"
        with self._open() as connection:
            return int(connection.execute(query, (urn,)).fetchone()[0])

    def last_operation(self, urn: str) -> str | None:
        """The last operation under a URN; None where there was none."""
        query = "SELECT operation FROM journal WHERE urn = ? ORDER BY rowid DESC LIMIT 1"
        with self._open() as connection:
            row = connection.execute(query, (urn,)).fetchone()
        return None if row is None else str(row[0])

    def journal(self) -> tuple[Event, ...]:
        """Every operation, in order."""
        with self._open() as connection:
            rows = connection.execute("SELECT at, operation, urn FROM journal ORDER BY rowid").fetchall()
        return tuple(Event(*row) for row in rows)

    def _entries(self, query: str, *values: str) -> tuple[Entry, ...]:
        with self._open() as connection:
            rows = connection.execute(query, values).fetchall()
        return tuple(_entry(row) for row in rows)


def _entry(row: tuple[str, str, str, str, str]) -> Entry:
    urn, type_, id_, inputs, outputs = row
    return Entry(urn, type_, id_, json.loads(inputs), json.loads(outputs))


def _remember(connection: sqlite3.Connection, entry: Entry, identities: set[str], uses: set[str]) -> None:
    row = (entry.urn, entry.type, entry.id, json.dumps(entry.inputs), json.dumps(entry.outputs))
    connection.execute("INSERT INTO resources VALUES (?, ?, ?, ?, ?)", row)
    for table, values in (("identities", identities), ("uses", uses - identities)):
        rows = [(value, entry.type, entry.id) for value in sorted(values)]
        connection.executemany(f"INSERT INTO {table} VALUES (?, ?, ?)", rows)


def _forget(connection: sqlite3.Connection, type_: str, id_: str) -> None:
    for statement in _FORGET:
        connection.execute(statement, (type_, id_))
