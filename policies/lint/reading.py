"""YAML as Kubernetes' tools read it, kept as nodes so that a finding can name its line.

Numbers and truth values are those of YAML 1.1, which Kubernetes' reader keeps; a date or a time of day stays a text.
"""

from __future__ import annotations

import contextlib
import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

import yaml

from gpuplatform.nesting import MAX_DEPTH, too_deep_at_line
from policies.subject import MOST_BITS, Plain

MAX_VALUES: Final = 200_000
"""The most values of one document, with aliases expanded: more than the largest CustomResourceDefinition has, and few
enough to stop a document that expands without end."""

_TAG = "tag:yaml.org,2002:"
_TEXT = f"{_TAG}str"
_MERGE = f"{_TAG}merge"
_TRUE = frozenset({"yes", "true", "on"})
_STEP = re.compile(r"([^.\[\]]+)|\[([^\]]*)\]")


@dataclass(frozen=True, slots=True)
class Defect:
    """Text that is not YAML, or a document that cannot become an object."""

    line: int
    """From 1."""
    reason: str


class _DefectError(Exception):
    """Raised while a document is read that cannot become an object."""

    def __init__(self, line: int, reason: str) -> None:
        self.defect = Defect(line, reason)
        super().__init__(reason)


@dataclass(frozen=True, slots=True)
class Document:
    """One YAML document."""

    body: Plain
    text: str
    """The whole file's text; lines are computed from it only for a finding, because most documents break no rule."""
    number: int
    """Among the file's documents, from 0."""

    def line_of(self, path: str) -> int:
        """The line, from 1, of a field such as ``spec.containers[0].image``, or of the nearest part that is there."""
        node = _nodes_of(self.text)[self.number]
        mark = node.start_mark
        for step in _STEP.finditer(path):
            child = _child(node, step[1] if step[2] is None else step[2])
            if child is None:
                break
            mark, node = child[0].start_mark, child[1]
        return mark.line + 1


def documents(text: str) -> Iterator[Document | Defect]:
    """The documents of a text in order, empty ones left out; text that is not YAML ends them."""
    if "\x00" in text:
        yield Defect(1, "a binary file")
        return
    try:
        if (line := too_deep_at_line(text)) is not None:
            yield Defect(line, f"lists or mappings nested deeper than {MAX_DEPTH} levels")
            return
        for number, node in enumerate(_nodes(text)):
            yield _document(node, text, number)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        reason = " ".join(filter(None, (error.context, error.problem)))
        # An unfinished text ends after its last line, which no tool could show.
        line = min(mark.line + 1, max(1, len(text.splitlines()))) if mark else 1
        yield Defect(line, f"text that is not YAML: {reason}")
    except yaml.YAMLError as error:
        yield Defect(1, f"text that is not YAML: {' '.join(str(error).split())}")


def _document(node: yaml.Node, text: str, number: int) -> Document | Defect:
    try:
        return Document(_Construction().plain(node), text, number)
    except _DefectError as error:
        return error.defect


def _nodes(text: str) -> Iterator[yaml.Node]:
    loader = yaml.CSafeLoader(text)
    try:
        while loader.check_node():  # pyright: ignore[reportUnknownMemberType]
            node: yaml.Node | None = loader.get_node()  # pyright: ignore[reportUnknownMemberType]
            if node is not None:
                yield node
    finally:
        loader.dispose()


@functools.lru_cache(maxsize=2)
def _nodes_of(text: str) -> tuple[yaml.Node, ...]:
    """The nodes of a text as far as it can be read."""
    nodes: list[yaml.Node] = []
    with contextlib.suppress(yaml.YAMLError):
        for node in _nodes(text):
            nodes.append(node)  # noqa: PERF402 - a list of the whole would lose what came before the error
    return tuple(nodes)


@dataclass(slots=True)
class _Construction:
    """Plain data made from one document's nodes; an alias's data is made once and counted each time it is used."""

    results: dict[int, tuple[Plain, int]] = field(default_factory=dict[int, "tuple[Plain, int]"])
    ancestors: set[int] = field(default_factory=set[int])

    def plain(self, node: yaml.Node) -> Plain:
        """The data of a document's root."""
        return self._value(node)[0]

    def _value(self, node: yaml.Node) -> tuple[Plain, int]:
        """The data of a node and how many values it holds."""
        if isinstance(node, yaml.ScalarNode):
            return (node.value if node.tag == _TEXT else _scalar(node)), 1
        result = self.results.get(id(node))
        if result is not None:
            return result
        if id(node) in self.ancestors:
            raise _DefectError(node.start_mark.line + 1, "an alias that contains itself")
        self.ancestors.add(id(node))
        result = self._mapping(node) if isinstance(node, yaml.MappingNode) else self._list(node)
        self.ancestors.remove(id(node))
        if result[1] > MAX_VALUES:
            raise _DefectError(node.start_mark.line + 1, f"more than {MAX_VALUES} values in one document")
        self.results[id(node)] = result
        return result

    def _list(self, node: yaml.Node) -> tuple[Plain, int]:
        values = [self._value(item) for item in node.value]
        return [value for value, _ in values], 1 + sum(size for _, size in values)

    def _mapping(self, node: yaml.MappingNode) -> tuple[Plain, int]:
        entries: dict[str, Plain] = {}
        merge_entries: dict[str, Plain] = {}
        size = 1
        for key_node, value_node in node.value:
            value, value_size = self._value(value_node)
            size += value_size + 1
            if key_node.tag == _MERGE:
                for mapping in reversed(value if isinstance(value, list) else [value]):
                    merge_entries |= mapping if isinstance(mapping, dict) else {}
                continue
            if not isinstance(key_node, yaml.ScalarNode):
                raise _DefectError(key_node.start_mark.line + 1, "a key that is not a string")
            key = str(key_node.value)
            if key in entries:
                raise _DefectError(key_node.start_mark.line + 1, f"the duplicate key {key!r} in one mapping")
            entries[key] = value
        return (merge_entries | entries if merge_entries else entries), size


def _scalar(node: yaml.ScalarNode) -> Plain:
    """A value that is not text; a date, or a value with a tag of its own, stays as it is written."""
    scalar: str = node.value
    match node.tag.removeprefix(_TAG):
        case "null":
            return None
        case "bool":
            return scalar.lower() in _TRUE
        case "int":
            return _integer(scalar)
        case "float":
            return _float(scalar)
        case _:
            return scalar


def _integer(scalar: str) -> Plain:
    digits = scalar.replace("_", "")
    octal = re.match(r"^([-+]?)0([0-7]+)$", digits)
    try:
        number = int(octal[1] + octal[2], 8) if octal else int(digits, 0)
    except ValueError:  # 12:30 is a number to YAML 1.1 and a text to Kubernetes
        return scalar
    return number if number.bit_length() <= MOST_BITS else scalar


def _float(scalar: str) -> Plain:
    try:
        number = float(scalar.replace("_", "").lower().replace(".inf", "inf").replace(".nan", "nan"))
    except ValueError:
        return scalar
    return int(number) if number.is_integer() else number


def _child(node: yaml.Node, step: str) -> tuple[yaml.Node, yaml.Node] | None:
    """What a step of a path leads to: the node that names it, and its value."""
    if isinstance(node, yaml.MappingNode):
        return next(((key, value) for key, value in node.value if key.value == step), None)
    if isinstance(node, yaml.SequenceNode):
        if step.isdecimal():
            return (node.value[int(step)], node.value[int(step)]) if int(step) < len(node.value) else None
        return next(((item, item) for item in node.value if _is_named(item, step)), None)
    return None


def _is_named(node: yaml.Node, name: str) -> bool:
    """Whether an item of a list is the one that a path calls by its name or key."""
    if not isinstance(node, yaml.MappingNode):
        return False
    return any(key.value in ("name", "key") and value.value == name for key, value in node.value)
