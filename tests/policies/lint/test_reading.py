"""YAML as manifests have it: values, lines, and what cannot be read."""

from __future__ import annotations

import pytest

from policies.lint.reading import Defect, Document, documents
from policies.subject import Plain

LINES = """\
kind: Deployment
spec:
  template:
    spec:
      nodeSelector:
        gpu.pool: infer
      tolerations:
        - key: dedicated
        - key: gpu.pool
      containers: [{name: main, image: a},
        {name: side, image: b}]
"""


def one(text: str) -> Document:
    (document,) = read(text)
    return document


def read(text: str) -> list[Document]:
    read_documents = list(documents(text))
    assert not any(isinstance(document, Defect) for document in read_documents)
    return [document for document in read_documents if isinstance(document, Document)]


def only(text: str) -> Plain:
    return one(text).body


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("a: 1", 1),
        ("a: 0x10", 16),
        ("a: 010", 8),
        ("a: 1.5", 1.5),
        ("a: 2.0", 2),
        ("a: 1_000", 1000),
        ("a: yes", True),
        ("a: off", False),
        ("a:", None),
        ("a: ~", None),
        ("a: 2026-01-31", "2026-01-31"),
        ("a: 12:30", "12:30"),
        ("a: '1'", "1"),
        ("a: !Ref b", "b"),
        ("a: .inf", float("inf")),
        ("a: |\n  two\n  lines\n", "two\nlines\n"),
        ("b: &x [1]\na: *x", [1]),
        ("b: &x {c: 1, d: 1}\na: {<<: *x, d: 2}", {"c": 1, "d": 2}),
        ("b: &x {c: 1}\ne: &y {c: 2}\na: {<<: [*x, *y]}", {"c": 1}),
    ],
)
def test_a_value_is_what_kubernetes_reads(written: str, value: Plain) -> None:
    body = only(written)
    assert isinstance(body, dict)
    assert body["a"] == value
    assert type(body["a"]) is type(value)


def test_a_file_holds_several_documents_and_empty_ones() -> None:
    assert [document.body for document in read("---\na: 1\n---\n---\n[2]\n")] == [{"a": 1}, None, [2]]
    assert list(documents("# nothing\n")) == []


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("kind", 1),
        ("spec.template.spec.nodeSelector[gpu.pool]", 6),
        ("spec.template.spec.nodeSelector[gpu.role]", 5),
        ("spec.template.spec.tolerations[1]", 9),
        ("spec.template.spec.tolerations[gpu.pool]", 9),
        ("spec.template.spec.tolerations[7]", 7),
        ("spec.template.spec.containers[1].image", 11),
        ("spec.template.spec.containers[main].image", 10),
        ("spec.template.spec.containers[0].resources.limits", 10),
        ("metadata.name", 1),
        ("", 1),
    ],
)
def test_a_field_has_the_line_on_which_it_stands_or_would_stand(path: str, line: int) -> None:
    assert one(LINES).line_of(path) == line


def test_a_line_counts_from_the_file_s_beginning_and_not_from_its_document_s() -> None:
    _, second = read("a: 1\n---\n\nb:\n  c: 1\n")
    assert second.line_of("b.c") == 5


BOMB = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{key}: &{key} [{', '.join(['*' + before] * 10)}]\n" for before, key in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        ("a: 1\nb: [", 2, "not YAML"),
        ("a: 1\n\tb: 2\n", 2, "not YAML"),
        ("a: {{ .Values.a }}\n", 1, "key that is not a string"),
        ("a: 1\nb:\n  c: 1\n  d: 2\n  c: 3\n", 5, "the duplicate key 'c'"),
        ("a: &x [*x]\n", 1, "contains itself"),
        ("a: *nothing\n", 1, "not YAML"),
        ("[" * 300 + "]" * 300, 1, "nested deeper than 100 levels"),
        ("a: 1\nb: " + "{c: " * 100_000, 2, "nested deeper than 100 levels"),
        ("- " * 50_000 + "a", 1, "nested deeper than 100 levels"),
        ("a: \x00", 1, "binary"),
        ("a: \x07", 1, "not YAML"),
        (BOMB, 6, "more than 200000 values"),
    ],
)
def test_what_cannot_be_read_is_said_with_its_line(text: str, line: int, why: str) -> None:
    (broken,) = documents(text)
    assert isinstance(broken, Defect)
    assert why in broken.reason
    assert broken.line == line


def test_what_stands_before_a_broken_part_is_read() -> None:
    first, broken = documents("a: 1\n---\nb: [" + "{}, " * 200)
    assert isinstance(first, Document)
    assert (first.body, first.line_of("a")) == ({"a": 1}, 1)
    assert isinstance(broken, Defect)


@pytest.mark.parametrize("text", ["a: 1\na: 2\n", "a: {{ .Values.a }}\n", "a: &x [*x]\n", BOMB])
def test_what_stands_after_a_document_that_cannot_be_made_is_read(text: str) -> None:
    broken, after = documents(f"{text}---\nb: 1\n")
    assert isinstance(broken, Defect)
    assert isinstance(after, Document)
    assert (after.body, after.line_of("b")) == ({"b": 1}, text.count("\n") + 2)
