"""Custom resource definitions: applied, then awaited."""

from __future__ import annotations

from pathlib import Path

from sandbox.control_plane.kubectl import Kubectl
from sandbox.errors import SandboxError

_LIMIT_SECONDS = 60


def install_crds(kubectl: Kubectl, folder: Path) -> tuple[str, ...]:
    """Apply every definition of a folder and wait until the API server serves it; their names.

    Raises SandboxError with what the API server said.
    """
    files = sorted(folder.glob("*.yaml"))
    if not files:
        raise SandboxError(f"{folder} holds no definitions")
    applied = kubectl.apply("\n---\n".join(each.read_text(encoding="utf-8") for each in files), "-o", "name")
    if not applied.ok:
        raise SandboxError(f"definitions of {folder} are refused:\n{applied.err}")
    names = tuple(applied.out.split())
    waited = kubectl("wait", "--for=condition=Established", f"--timeout={_LIMIT_SECONDS}s", *names)
    if not waited.ok:
        raise SandboxError(f"definitions of {folder} are not served after {_LIMIT_SECONDS} s:\n{waited.err}")
    return tuple(name.partition("/")[2] for name in names)
