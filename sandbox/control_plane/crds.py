"""Custom resource definitions: applied, then awaited."""

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
"""What `kubectl wait` says, and ends with, where the API server has not yet written any condition."""
_GROUP = re.compile(r"^  group: (?P<found>\S+)$", re.MULTILINE)
_KIND = re.compile(r"^    kind: (?P<found>\S+)$", re.MULTILINE)
"""As controller-gen writes them. Some of the files hold a megabyte of schema, which takes seconds to read as YAML."""


def install_crds(kubectl: Kubectl, folder: Path) -> tuple[str, ...]:
    """Apply every definition of a folder and wait until the API server serves it; their names.

    Raises SandboxError with what the API server said.
    """
    return install_files(kubectl, _files(folder))


def install_files(kubectl: Kubectl, files: Sequence[Path]) -> tuple[str, ...]:
    """The same of some files; nothing is done where there are none."""
    if not files:
        return ()
    applied = kubectl.apply("\n---\n".join(each.read_text(encoding="utf-8") for each in files), "-o", "name")
    where = ", ".join(sorted({str(each.parent) for each in files}))
    if not applied.ok:
        raise SandboxError(f"definitions of {where} are refused:\n{applied.err}")
    names = tuple(applied.out.split())
    begun = time.monotonic()
    while not (waited := kubectl("wait", "--for=condition=Established", f"--timeout={_LIMIT_SECONDS}s", *names)).ok:
        if _NO_STATUS_YET not in waited.err or time.monotonic() - begun > _LIMIT_SECONDS:
            raise SandboxError(f"definitions of {where} are not served after {_LIMIT_SECONDS} s:\n{waited.err}")
        time.sleep(_POLL_SECONDS)
    return tuple(name.partition("/")[2] for name in names)


def defining(folder: Path, documents: Iterable[Mapping[str, object]]) -> tuple[Path, ...]:
    """The files of a folder that define the kinds of the documents.

    Raises SandboxError where a file does not say what it defines.
    """
    kinds = {(str(each.get("apiVersion")).partition("/")[0], kind_of(each)) for each in documents}
    return tuple(each for each in _files(folder) if _defined(each) in kinds)


def _files(folder: Path) -> tuple[Path, ...]:
    files = tuple(sorted(folder.glob("*.yaml")))
    if not files:
        raise SandboxError(f"{folder} holds no definitions")
    return files


def _defined(file: Path) -> tuple[str, str]:
    text = file.read_text(encoding="utf-8")
    group, kind = _GROUP.search(text), _KIND.search(text)
    if group is None or kind is None:
        raise SandboxError(f"{file} does not say of which group and kind it is")
    return group["found"], kind["found"]
