"""The type of a rendered document, and its text as YAML."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import yaml

Document = dict[str, object]
"""A Kubernetes object, or a chart's values, as plain data."""


class _Dumper(yaml.CSafeDumper):
    """Block style, keys in the order given, several lines as a literal block."""

    def ignore_aliases(self, data: object) -> bool:  # noqa: ARG002
        """Never write anchors: each document is complete by itself."""
        return True


def _text(dumper: _Dumper, value: str) -> yaml.ScalarNode:
    style = "|" if "\n" in value else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)  # pyright: ignore[reportUnknownMemberType]


_Dumper.add_representer(str, _text)


def as_yaml(document: Mapping[str, object]) -> str:
    """One document as YAML, byte for byte the same for the same data."""
    return yaml.dump(dict(document), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=1000)


def kubernetes_object(
    api_version: str,
    kind: str,
    name: str,
    namespace: str | None = None,
    *,
    labels: Mapping[str, str] | None = None,
    annotations: Mapping[str, str] | None = None,
    **body: object,
) -> Document:
    """A Kubernetes object; ``body`` holds the fields beside ``metadata``."""
    metadata: dict[str, object] = {"name": name}
    if namespace is not None:
        metadata["namespace"] = namespace
    if labels is not None:
        metadata["labels"] = dict(labels)
    if annotations is not None:
        metadata["annotations"] = dict(annotations)
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
        ".".join(filter(None, (kind_of(document).lower(), namespace_of(document), name_of(document))))
        + ".yaml": document
        for document in documents
    }
