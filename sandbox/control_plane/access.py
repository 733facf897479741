"""How the API server is spoken to: its token, its certificate, a kubeconfig, and whether it is ready."""

from __future__ import annotations

import base64
import os
import ssl
import urllib.error
import urllib.request
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path

import yaml

_ADMIN = "sandbox-admin"
_TIMEOUT_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Access:
    """Where an API server listens and who may do everything there."""

    url: str
    token: str
    certificate: Path
    """The bundle that the server writes when it signs itself: its own certificate and the authority's."""

    def tokens_file(self) -> str:
        """The token as ``--token-auth-file`` reads it."""
        return f'{self.token},{_ADMIN},{_ADMIN},"system:masters"\n'

    def kubeconfig(self) -> str:
        """A kubeconfig that stands by itself. The certificate must be there: the server must have answered."""
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
        """Whether the server says that all of it is ready."""
        if not self.certificate.exists():
            return False
        request = urllib.request.Request(f"{self.url}/readyz", headers={"Authorization": f"Bearer {self.token}"})
        try:
            context = ssl.create_default_context(cafile=str(self.certificate))
            # Not through a proxy of the user's: this is loopback.
            opener = urllib.request.build_opener(
                urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=context)
            )
            with opener.open(request, timeout=_TIMEOUT_SECONDS) as answer:
                return answer.status == HTTPStatus.OK
        except urllib.error.HTTPError as error:
            # An answer of "not yet" is an open connection.
            error.close()
            return False
        except OSError:
            return False


def write_private(path: Path, text: str) -> Path:
    """Write a file that only its owner can read, from its first byte on."""
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(text)
    return path
