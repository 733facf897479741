"""Custom resource definitions (CRDs): they are applied, then awaited until the API server serves them."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from gpuplatform.render.document import kind_of
from sandbox.control_plane.kubectl import Kubectl
from sandbox.errors import SandboxError

_LIMIT_SECONDS = 180
_POLL_SECONDS = 0.1
_NO_STATUS_YET = "accessor error: <nil>"
"""The error with which `kubectl wait` ends where the API server has not yet written any condition."""
_GROUP = re.compile(r"^  group: (?P<found>\S+)$", re.MULTILINE)
_KIND = re.compile(r"^    kind: (?P<found>\S+)$", re.MULTILINE)
"""Group and kind as controller-gen writes them. Some files hold a megabyte of schema: parsing them takes seconds."""


def install_crds(kubectl: Kubectl, folder: Path) -> tuple[str, ...]:
    """Apply every CRD of a folder and wait until the API server serves it; returns their names.

    Raises SandboxError with the API server's message.
    """
    return install_files(kubectl, _files(folder))


def install_files(kubectl: Kubectl, files: Sequence[Path]) -> tuple[str, ...]:
    """Apply the CRDs in some files and wait until the API server serves them; returns their names."""
    if not files:
        return ()
    applied = kubectl.apply("\n---\n".join(file.read_text(encoding="utf-8") for file in files), "-o", "name")
    where = ", ".join(sorted({str(file.parent) for file in files}))
    if not applied.ok:
        raise SandboxError(f"the API server refuses the CRDs in {where}:\n{applied.err}")
    names = tuple(applied.out.split())
    begun = time.monotonic()
    while not (waited := kubectl("wait", "--for=condition=Established", f"--timeout={_LIMIT_SECONDS}s", *names)).ok:
        if _NO_STATUS_YET not in waited.err or time.monotonic() - begun > _LIMIT_SECONDS:
            raise SandboxError(f"the CRDs in {where} are not served after {_LIMIT_SECONDS} s:\n{waited.err}")
        time.sleep(_POLL_SECONDS)
    return tuple(name.partition("/")[2] for name in names)


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
    return group["found"], kind["found"]
