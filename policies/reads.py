"""Records the fields that a rule reads while it judges, so that no list of them has to be maintained.

A rule is a pure function of the fields that it reads: other fields cannot change its result. A field that it reads and
that a preview does not know is a field that the rule judges later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias, cast, overload

from policies.subject import UNKNOWN, Plain, Subject

Path: TypeAlias = "tuple[str | int, ...]"
"""Keys and positions from the top of an object to a field."""


class Reads:
    """The fields that were read, each with its value; None if there is no such field."""

    def __init__(self) -> None:
        self._values: dict[Path, Plain] = {}
        self._whole: set[Path] = set()

    def note_whole(self, path: Path) -> None:
        """The whole mapping or list was read: a further entry would have been noticed."""
        self._whole.add(path)

    def note(self, path: Path, value: Plain) -> None:
        """A field was looked at."""
        self._values[path] = value

    @property
    def fields(self) -> tuple[Path, ...]:
        """Every field below which nothing more was read."""
        holders = {path[:length] for path in self._values for length in range(len(path))}
        return tuple(path for path in self._values if path not in holders)

    def sees(self, path: Path) -> bool:
        """Whether a change of that field, present or absent, can change what was read."""
        is_inside = any(path[: len(whole)] == whole for whole in self._whole)
        return is_inside or any(path[: len(value)] == value[: len(path)] for value in self._values)

    @property
    def unknown(self) -> tuple[Path, ...]:
        """Fields that were read and will only be known in the update."""
        return tuple(path for path, value in self._values.items() if value is UNKNOWN)


def observed(subject: Subject, reads: Reads) -> Subject:
    """The same subject, which notes what is read of it."""
    return _RecordingSubject(
        subject.kind, subject.api_version, subject.name, subject.namespace, _Mapping(subject.body, (), reads)
    )


def reads_of(judge: Callable[[Subject], object], subject: Subject) -> Reads:
    """What a judge reads of a subject."""
    reads = Reads()
    judge(observed(subject, reads))
    return reads


def path_text(path: Path) -> str:
    """A path as a reader would look for it: ``spec.limits[nvidia.com/gpu]``, ``spec.taints[0].key``."""
    text = ""
    for step in path:
        if isinstance(step, int) or not step.isidentifier():
            text += f"[{step}]"
        else:
            text += f".{step}" if text else step
    return text


class _RecordingSubject(Subject):
    """A subject whose name and namespace are fields of its body, and noted like them."""

    def __getattribute__(self, attribute: str) -> object:
        if attribute in ("name", "namespace"):
            body = cast("Mapping[str, Plain]", super().__getattribute__("body"))
            holder = body.get("metadata")
            if isinstance(holder, Mapping):
                holder.get(attribute)
        return super().__getattribute__(attribute)


class _Mapping(Mapping[str, Plain]):
    def __init__(self, of: Mapping[str, Plain], path: Path, reads: Reads) -> None:
        self._of, self._path, self._reads = of, path, reads

    def __getitem__(self, key: str) -> Plain:
        path = (*self._path, key)
        self._reads.note(path, self._of.get(key))
        return _recording(self._of[key], path, self._reads)

    def __iter__(self) -> Iterator[str]:
        self._reads.note_whole(self._path)
        for key in self._of:
            self._reads.note((*self._path, key), self._of[key])
            yield key

    def __len__(self) -> int:
        self._reads.note_whole(self._path)
        return len(self._of)


class _Items(Sequence[Plain]):
    def __init__(self, of: Sequence[Plain], path: Path, reads: Reads) -> None:
        self._of, self._path, self._reads = of, path, reads

    @overload
    def __getitem__(self, index: int) -> Plain: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Plain]: ...
    def __getitem__(self, index: int | slice) -> Plain:
        if isinstance(index, slice):
            return [self[position] for position in range(*index.indices(len(self)))]
        value, path = self._of[index], (*self._path, index)
        self._reads.note(path, value)
        return _recording(value, path, self._reads)

    def __len__(self) -> int:
        self._reads.note_whole(self._path)
        return len(self._of)

    def __repr__(self) -> str:
        """As the list itself: a message may quote it."""
        return repr(self._of)


def _recording(value: Plain, path: Path, reads: Reads) -> Plain:
    if isinstance(value, Mapping):
        return _Mapping(value, path, reads)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return _Items(value, path, reads)
    return value
