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
    found = at(document, *path)
    assert isinstance(found, dict)
    return cast("dict[str, object]", found)


def list_at(document: object, *path: str | int) -> list[dict[str, object]]:
    """The list of mappings at a path."""
    found = at(document, *path)
    assert isinstance(found, list)
    return cast("list[dict[str, object]]", found)


def text_at(document: object, *path: str | int) -> str:
    """The text at a path."""
    found = at(document, *path)
    assert isinstance(found, str)
    return found


def of_kind(documents: Iterable[Mapping[str, object]], kind: str) -> dict[str, Mapping[str, object]]:
    """The documents of a kind by their names."""
    return {name_of(each): each for each in documents if kind_of(each) == kind}


def loaded(text: str) -> dict[str, object]:
    """A YAML text inside a document, such as a ConfigMap's file."""
    found: object = yaml.safe_load(text)
    assert isinstance(found, dict)
    return cast("dict[str, object]", found)
