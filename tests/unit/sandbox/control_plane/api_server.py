"""A small API server for unit tests: it knows four kinds, and it keeps the objects that are applied."""

from __future__ import annotations

import json
import threading
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

KINDS = {
    "/api/v1": [{"name": "configmaps", "kind": "ConfigMap", "namespaced": True}],
    "/apis/apiextensions.k8s.io/v1": [
        {"name": "customresourcedefinitions", "kind": "CustomResourceDefinition", "namespaced": False}
    ],
    "/apis/watch.example.org/v1": [
        {"name": "rules", "kind": "Rule", "namespaced": True},
        {"name": "monitors", "kind": "Monitor", "namespaced": True},
    ],
}


class ApiServer(ThreadingHTTPServer):
    """The server's objects by path, the requests that it received, and what it answers instead of the next ones."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.objects: dict[str, dict[str, Any]] = {}
        self.asked: list[tuple[str, str, dict[str, str]]] = []
        self.instead: list[tuple[int, str, bytes]] = []
        """The code, the content type and the text of an answer."""
        self.established_after = 0
        """The number of reads after which an object is established."""

    def kubeconfig(self) -> str:
        """A kubeconfig with this server's address."""
        return json.dumps(
            {
                "clusters": [{"name": "c", "cluster": {"server": f"http://127.0.0.1:{self.server_port}"}}],
                "users": [{"name": "u", "user": {"token": "secret"}}],
                "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
                "current-context": "x",
            }
        )

    def refuse(self, code: int, message: str) -> None:
        """Answer the next request with a refusal, as an API server writes it."""
        status = {"kind": "Status", "apiVersion": "v1", "code": code, "message": message}
        self.instead.append((code, "application/json", json.dumps(status).encode()))


class _Handler(BaseHTTPRequestHandler):
    server: ApiServer  # pyright: ignore[reportIncompatibleVariableOverride]
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        pass

    def _answer(self) -> None:
        asked = urlsplit(self.path)
        path, query = asked.path, dict(parse_qsl(asked.query))
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.asked.append((self.command, path, query))
        if self.server.instead:
            self._send(*self.server.instead.pop(0))
        elif path in KINDS:
            self._json(200, {"resources": KINDS[path]})
        elif self.command == "PATCH":
            self.server.objects[path] = json.loads(body)
            self._json(200, self.server.objects[path])
        elif any(there.startswith(f"{path}/") for there in self.server.objects):
            self._json(200, {"items": [{"metadata": there["metadata"]} for there in self.server.objects.values()]})
        elif path not in self.server.objects:
            self._send(404, "text/plain", b"404 page not found")
        elif self.command == "DELETE":
            self._json(200, self.server.objects.pop(path))
        else:
            self.server.established_after -= 1
            status = "False" if self.server.established_after >= 0 else "True"
            conditions = {"conditions": [{"type": "Established", "status": status}]}
            self._json(200, {**self.server.objects[path], "status": conditions})

    do_GET = do_PATCH = do_DELETE = _answer  # noqa: N815

    def _json(self, code: int, body: object) -> None:
        self._send(code, "application/json", json.dumps(body).encode())

    def _send(self, code: int, content: str, body: bytes) -> None:
        self.send_response(code)
        self.send_header("Content-Type", content)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def api_server() -> Generator[ApiServer]:
    """The server, until the block is left."""
    with ApiServer() as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        try:
            yield server
        finally:
            server.shutdown()
