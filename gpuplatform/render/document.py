"""What a rendered document is, and how one is written as text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import yaml

Document = dict[str, object]
"""A Kubernetes object, or a chart's values, as plain data."""


class _Dumper(yaml.CSafeDumper):
    """Block style, keys in the order given, several lines as a literal block."""

    def ignore_aliases(self, data: object) -> bool:  # noqa: ARG002
        """Never write anchors: each document stands by itself."""
        return True


def _text(dumper: _Dumper, value: str) -> yaml.ScalarNode:
    style = "|" if "\n" in value else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)  # pyright: ignore[reportUnknownMemberType]


_Dumper.add_representer(str, _text)


def as_yaml(document: Mapping[str, object]) -> str:
    """One document as YAML, byte for byte the same for the same data."""
    return yaml.dump(dict(document), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=1000)


def a(api_version: str, kind: str, name: str, namespace: str | None = None, **body: object) -> Document:
    """A Kubernetes object; ``body`` is what stands beside ``metadata``."""
    metadata: dict[str, object] = {"name": name}
    if namespace is not None:
        metadata["namespace"] = namespace
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **body}


def name_of(document: Mapping[str, object]) -> str:
    """The object's ``metadata.name``."""
    return str(_metadata(document)["name"])


def namespace_of(document: Mapping[str, object]) -> str | None:
    """The object's ``metadata.namespace``, None where it is cluster-scoped."""
    namespace = _metadata(document).get("namespace")
    return None if namespace is None else str(namespace)


def kind_of(document: Mapping[str, object]) -> str:
    """The object's ``kind``."""
    return str(document["kind"])


def _metadata(document: Mapping[str, object]) -> Mapping[str, object]:
    metadata = document["metadata"]
    assert isinstance(metadata, Mapping), "every rendered object has metadata"
    return metadata  # pyright: ignore[reportUnknownVariableType]


def file_names(documents: Iterable[Mapping[str, object]]) -> dict[str, Mapping[str, object]]:
    """A file name for each document: ``kind.namespace.name.yaml``, lower case."""
    return {
        ".".join(filter(None, (kind_of(each).lower(), namespace_of(each), name_of(each)))) + ".yaml": each
        for each in documents
    }
