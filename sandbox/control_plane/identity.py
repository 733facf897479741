"""What of a control plane outlives its processes: its ports and its token, so that who knew it knows it again."""

from __future__ import annotations

import json
import secrets
from dataclasses import asdict, dataclass
from pathlib import Path

from sandbox.control_plane.access import write_private
from sandbox.control_plane.ports import free_ports, is_free
from sandbox.errors import SandboxError

_FILE = "identity.json"


@dataclass(frozen=True, slots=True)
class Identity:
    """Where a control plane listens and by which token it knows its administrator."""

    etcd_client: int
    etcd_peer: int
    api_server: int
    token: str

    def ports(self) -> tuple[int, ...]:
        """Every port of it."""
        return self.etcd_client, self.etcd_peer, self.api_server


def identity_in(folder: Path) -> Identity:
    """The identity that a folder remembers, or a new one, which it remembers from now on.

    Raises SandboxError where another program has taken a remembered port: whoever holds the kubeconfig would reach it.
    """
    file = folder / _FILE
    if file.exists():
        known = identity_in_use(folder)
        taken = [port for port in known.ports() if not is_free(port)]
        if taken:
            ports = ", ".join(map(str, taken))
            raise SandboxError(
                f"the control plane in {folder} listened on ports that another program has taken: {ports}."
                " Change: end that program, or remove the folder."
            )
        return known
    made = Identity(*free_ports(3), token=secrets.token_urlsafe(32))
    write_private(file, json.dumps(asdict(made)))
    return made


def identity_in_use(folder: Path) -> Identity:
    """The identity of a control plane that runs."""
    return Identity(**json.loads((folder / _FILE).read_text(encoding="utf-8")))


def forget_identity(folder: Path) -> None:
    """The next start gets another one."""
    (folder / _FILE).unlink(missing_ok=True)
