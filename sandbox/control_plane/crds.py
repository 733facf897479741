"""Custom resource definitions (CRDs): they are applied, then awaited until the API server serves them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import cast

import yaml

from gpuplatform.render.document import Document, kind_of, name_of
from sandbox.control_plane.api import Api, is_so
from sandbox.errors import RefusedError, SandboxError

_LIMIT_SECONDS = 180.0
_GROUP = re.compile(r"^  group: (?P<value>\S+)$", re.MULTILINE)
_KIND = re.compile(r"^    kind: (?P<value>\S+)$", re.MULTILINE)
"""Group and kind as controller-gen writes them. Some files hold a megabyte of schema: parsing them takes seconds."""


class _Loader(yaml.CSafeLoader):
    """Reads a plain ``=``, which some schemas list, as text."""


_Loader.add_constructor("tag:yaml.org,2002:value", yaml.CSafeLoader.construct_scalar)


def install_crds(api: Api, folder: Path) -> tuple[str, ...]:
    """Apply every CRD of a folder and wait until the API server serves it; returns their names.

    Raises SandboxError with the API server's message.
    """
    return install_files(api, _files(folder))


def install_files(api: Api, files: Sequence[Path]) -> tuple[str, ...]:
    """Apply the CRDs in some files and wait until the API server serves them; returns their names."""
    documents, where = _documents(files), ", ".join(sorted({str(file.parent) for file in files}))
    try:
        api.put_all(documents)
    except RefusedError as error:
        raise SandboxError(f"the API server refuses the CRDs in {where}:\n{error}") from error
    remaining = list(documents)

    def served() -> bool:
        remaining[:] = [definition for definition in remaining if not _served(api, definition)]
        return not remaining

    if not api.wait(served, _LIMIT_SECONDS):
        names = ", ".join(map(name_of, remaining))
        raise SandboxError(f"the CRDs in {where} are not served after {_LIMIT_SECONDS:g} s: {names}")
    return tuple(name_of(document) for document in documents)


def remove_crds(api: Api, folder: Path) -> None:
    """Delete every CRD of a folder, with the objects of its kind, and wait until they are gone."""
    api.delete_all(_documents(_files(folder)), _LIMIT_SECONDS)


def _served(api: Api, definition: Document) -> bool:
    """Whether a definition is established, and its kind is found: the server lists a kind a moment later."""
    spec = cast(Mapping[str, object], definition["spec"])
    kind = cast(Mapping[str, str], spec["names"])["kind"]
    versions = [version for version in cast(list[Mapping[str, object]], spec["versions"]) if version["served"]]
    return is_so(api.read(api.place(definition)) or {}, "Established") and all(
        api.serves(f"{spec['group']}/{version['name']}", kind) for version in versions
    )


def _documents(files: Iterable[Path]) -> list[Document]:
    texts = (file.read_text(encoding="utf-8") for file in files)
    return [cast(Document, document) for text in texts for document in yaml.load_all(text, _Loader) if document]


def defining(folder: Path, documents: Iterable[Mapping[str, object]]) -> tuple[Path, ...]:
    """The files of a folder that define the kinds of the documents.

    Raises SandboxError where a file does not name the group and kind that it defines.
    """
    kinds = {(str(document.get("apiVersion")).partition("/")[0], kind_of(document)) for document in documents}
    return tuple(file for file in _files(folder) if _defined(file) in kinds)


def _files(folder: Path) -> tuple[Path, ...]:
    files = tuple(sorted(folder.glob("*.yaml")))
    if not files:
        raise SandboxError(f"{folder} holds no definitions")
    return files


def _defined(file: Path) -> tuple[str, str]:
    text = file.read_text(encoding="utf-8")
    group, kind = _GROUP.search(text), _KIND.search(text)
    if group is None or kind is None:
        raise SandboxError(f"{file} does not say which group and kind it defines")
    return group["value"], kind["value"]
