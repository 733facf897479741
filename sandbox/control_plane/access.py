"""The keys, ports, tokens and kubeconfig of a control plane.

The key that signs service-account tokens is made here, because no other tool is sure to be on the machine.
"""

from __future__ import annotations

import base64
import json
import os
import secrets
import ssl
import textwrap
import urllib.error
import urllib.request
from dataclasses import asdict, dataclass
from http import HTTPStatus
from pathlib import Path

import yaml

from sandbox.control_plane.part import free_ports, is_free
from sandbox.errors import SandboxError

_P256_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
"""Order of the curve's base point; SEC 2, section 2.4.2."""
_VERSION_1 = bytes.fromhex("020101")
_NAMED_P256 = bytes.fromhex("a00a06082a8648ce3d030107")
"""Context tag 0 around the object identifier 1.2.840.10045.3.1.7."""


def signing_key() -> str:
    """A new P-256 private key in PEM, as RFC 5915 defines it, without the public key, which readers compute."""
    scalar = (1 + secrets.randbelow(_P256_ORDER - 1)).to_bytes(32, "big")
    body = _VERSION_1 + b"\x04\x20" + scalar + _NAMED_P256
    text = "\n".join(textwrap.wrap(base64.b64encode(b"\x30" + bytes([len(body)]) + body).decode(), 64))
    return f"-----BEGIN EC PRIVATE KEY-----\n{text}\n-----END EC PRIVATE KEY-----\n"


_FILE = "identity.json"


@dataclass(frozen=True, slots=True)
class Identity:
    """The ports of a control plane and its administrator's token."""

    etcd_client: int
    etcd_peer: int
    api_server: int
    token: str

    def ports(self) -> tuple[int, ...]:
        """Every port of the control plane."""
        return self.etcd_client, self.etcd_peer, self.api_server


def identity_in(folder: Path) -> Identity:
    """The identity that is stored in a folder; where there is none, a new one is made and stored.

    Raises SandboxError where another program has taken a stored port: users of the kubeconfig would reach that program.
    """
    file = folder / _FILE
    if file.exists():
        identity = identity_in_use(folder)
        taken_ports = [port for port in identity.ports() if not is_free(port)]
        if taken_ports:
            ports = ", ".join(map(str, taken_ports))
            raise SandboxError(
                f"another program uses ports of the control plane in {folder}: {ports}."
                " Change: end that program, or remove the folder."
            )
        return identity
    identity = Identity(*free_ports(3), token=secrets.token_urlsafe(32))
    write_private(file, json.dumps(asdict(identity)))
    return identity


def identity_in_use(folder: Path) -> Identity:
    """The identity of a control plane that runs."""
    return Identity(**json.loads((folder / _FILE).read_text(encoding="utf-8")))


def forget_identity(folder: Path) -> None:
    """Remove the stored identity, so that the next start gets a new one."""
    (folder / _FILE).unlink(missing_ok=True)


_ADMIN = "sandbox-admin"
_TIMEOUT_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Access:
    """The address of an API server and its administrator's token."""

    url: str
    token: str
    certificate: Path
    """The bundle of the server's self-signed certificate and its authority's, which the server writes."""

    def tokens_file(self) -> str:
        """The token as ``--token-auth-file`` reads it."""
        return f'{self.token},{_ADMIN},{_ADMIN},"system:masters"\n'

    def kubeconfig(self) -> str:
        """A self-contained kubeconfig. The server must have answered once, so that its certificate exists."""
        authority = base64.b64encode(self.certificate.read_bytes()).decode()
        name = "sandbox"
        return yaml.safe_dump(
            {
                "apiVersion": "v1",
                "kind": "Config",
                "clusters": [
                    {"name": name, "cluster": {"server": self.url, "certificate-authority-data": authority}},
                ],
                "users": [{"name": _ADMIN, "user": {"token": self.token}}],
                "contexts": [{"name": name, "context": {"cluster": name, "user": _ADMIN}}],
                "current-context": name,
            },
            sort_keys=False,
        )

    def ready(self) -> bool:
        """Whether the server reports that it is ready."""
        if not self.certificate.exists():
            return False
        request = urllib.request.Request(f"{self.url}/readyz", headers={"Authorization": f"Bearer {self.token}"})
        try:
            context = ssl.create_default_context(cafile=str(self.certificate))
            # The user's proxy is not used: the server is on loopback.
            opener = urllib.request.build_opener(
                urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=context)
            )
            with opener.open(request, timeout=_TIMEOUT_SECONDS) as response:
                return response.status == HTTPStatus.OK
        except urllib.error.HTTPError as error:
            # The error of a server that is not ready yet holds an open connection.
            error.close()
            return False
        except OSError:
            return False


def write_private(path: Path, text: str) -> Path:
    """Write a file that only its owner can ever read."""
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(text)
    return path
