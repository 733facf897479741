"""Reading rendered documents in tests: by path, with the types that the tests expect."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import cast

import yaml

from gpuplatform.render.document import kind_of, name_of


def at(document: object, *path: str | int) -> object:
    """What stands at a path; a missing part is a KeyError or an IndexError."""
    for part in path:
        if isinstance(part, int):
            document = cast("list[object]", document)[part]
        else:
            document = cast("Mapping[str, object]", document)[part]
    return document


def mapping_at(document: object, *path: str | int) -> dict[str, object]:
    """The mapping at a path."""
    value = at(document, *path)
    assert isinstance(value, dict)
    return cast("dict[str, object]", value)


def list_at(document: object, *path: str | int) -> list[dict[str, object]]:
    """The list of mappings at a path."""
    value = at(document, *path)
    assert isinstance(value, list)
    return cast("list[dict[str, object]]", value)


def text_at(document: object, *path: str | int) -> str:
    """The text at a path."""
    value = at(document, *path)
    assert isinstance(value, str)
    return value


def of_kind(documents: Iterable[Mapping[str, object]], kind: str) -> dict[str, Mapping[str, object]]:
    """The documents of a kind by their names."""
    return {name_of(document): document for document in documents if kind_of(document) == kind}


def loaded(text: str) -> dict[str, object]:
    """A YAML text inside a document, such as a ConfigMap's file."""
    value: object = yaml.safe_load(text)
    assert isinstance(value, dict)
    return cast("dict[str, object]", value)
