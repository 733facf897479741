"""The API of a real Kubernetes server, as far as a provider needs it: apply, read, delete, and look up kinds."""

from __future__ import annotations

import base64
import json
import ssl
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from typing import cast

import yaml

from sandbox.cloud.input_validation import RefusedError
from sandbox.cloud.store import Plain, Properties

FIELD_MANAGER = "pulumi-kubernetes"
_APPLY = "application/apply-patch+yaml"
_MERGE = "application/merge-patch+json"
_ANSWER_SECONDS = 60.0
_PATIENCE_SECONDS = 30.0
"""The longest wait for a server that does not answer: its supervisor may be starting it again."""
_POLL_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class ObjectPath:
    """The path of one object, relative to the server."""

    path: str

    def with_query(self, **query: str) -> str:
        """The path with a query."""
        return f"{self.path}?{urllib.parse.urlencode(query)}"


class Api:
    """One server, with the address and the token of a kubeconfig in YAML or JSON.

    A refusal is a ``RefusedError`` with the server's own message.
    """

    def __init__(self, kubeconfig: str, cancelled: threading.Event) -> None:
        config = cast(dict[str, list[dict[str, dict[str, str]]]], yaml.safe_load(kubeconfig))
        server, user = config["clusters"][0]["cluster"], config["users"][0]["user"]
        authority = base64.b64decode(server["certificate-authority-data"]).decode()
        self._server = server["server"]
        self._authorization = f"Bearer {user['token']}"
        self._cancelled = cancelled
        self._opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}),
            urllib.request.HTTPSHandler(context=ssl.create_default_context(cadata=authority)),
        )
        self._kinds: dict[tuple[str, str], tuple[str, bool]] = {}

    def place(self, document: Mapping[str, Plain]) -> ObjectPath:
        """The path of a document's object. Raises RefusedError where the server does not know the kind."""
        version, kind = str(document["apiVersion"]), str(document["kind"])
        metadata = cast(Properties, document["metadata"])
        root = f"/apis/{version}" if "/" in version else f"/api/{version}"
        plural, namespaced = self._kind(root, version, kind)
        within = f"/namespaces/{metadata.get('namespace', 'default')}" if namespaced else ""
        return ObjectPath(f"{root}{within}/{plural}/{metadata['name']}")

    def apply(self, document: Properties) -> Properties:
        """Server-side apply. A field that another manager owns is refused, as with the real provider."""
        path = self.place(document).with_query(fieldManager=FIELD_MANAGER, fieldValidation="Strict")
        return self._ask("PATCH", path, document, _APPLY)

    def put(self, document: Properties, manager: str) -> Properties:
        """Server-side apply as another field manager than the provider; it takes over fields of every other manager."""
        path = self.place(document).with_query(fieldManager=manager, fieldValidation="Strict", force="true")
        return self._ask("PATCH", path, document, _APPLY)

    def merge(self, place: ObjectPath, change: Properties) -> None:
        """Change some fields of an object; an object that no longer exists is no error."""
        with suppress(_MissingError):
            self._ask("PATCH", place.path, change, _MERGE)

    def items(self, path: str, **query: str) -> list[Properties]:
        """The objects of a collection, such as ``/api/v1/pods``, by selectors."""
        return cast(list[Properties], self._ask("GET", ObjectPath(path).with_query(**query))["items"])

    def read(self, place: ObjectPath) -> Properties | None:
        """The object; None where it does not exist."""
        try:
            return self._ask("GET", place.path)
        except _MissingError:
            return None

    def remove(self, place: ObjectPath, **options: Plain) -> None:
        """Ask for an object's deletion without waiting; an object that no longer exists is no error."""
        with suppress(_MissingError):
            self._ask("DELETE", place.path, dict(options), "application/json")

    def delete(self, place: ObjectPath, limit_seconds: float) -> None:
        """Delete in the foreground and wait until the object is gone; one that no longer exists is no error."""
        self.remove(place, propagationPolicy="Foreground")
        if not self.wait(lambda: self.read(place) is None, limit_seconds):
            left = self.read(place) or {}
            metadata = cast(Properties, left.get("metadata") or {})
            raise RefusedError(
                f"{place.path} is not gone after {limit_seconds:g} s; finalizers: {metadata.get('finalizers')}"
            )

    def wait(self, what: Callable[[], bool], limit_seconds: float) -> bool:
        """Whether a condition came true in time. Raises RefusedError where the engine is cancelled meanwhile."""
        end = time.monotonic() + limit_seconds
        while not what():
            if self._cancelled.wait(_POLL_SECONDS):
                raise RefusedError("interrupted while waiting")
            if time.monotonic() > end:
                return False
        return True

    def _kind(self, root: str, version: str, kind: str) -> tuple[str, bool]:
        plural_and_scope = self._kinds.get((version, kind))
        if plural_and_scope is None:
            try:
                listed = cast(list[dict[str, object]], self._ask("GET", root)["resources"])
            except _MissingError:
                listed = []
            matches = [resource for resource in listed if resource["kind"] == kind and "/" not in str(resource["name"])]
            if not matches:
                raise RefusedError(f'no matches for kind "{kind}" in version "{version}"')
            plural_and_scope = str(matches[0]["name"]), bool(matches[0]["namespaced"])
            self._kinds[version, kind] = plural_and_scope
        return plural_and_scope

    def _ask(self, method: str, path: str, body: Properties | None = None, content: str = "") -> Properties:
        """One answer. Every request here may be sent twice, so a server that does not answer is asked again."""
        end = time.monotonic() + _PATIENCE_SECONDS
        while True:
            try:
                return self._once(method, path, body, content)
            except (OSError, _BusyError) as error:
                if time.monotonic() > end:
                    raise RefusedError(f"the API server does not answer at {self._server}: {error}") from error
                if self._cancelled.wait(_POLL_SECONDS):
                    raise RefusedError("interrupted while waiting for the API server") from error

    def _once(self, method: str, path: str, body: Properties | None, content: str) -> Properties:
        data = None if body is None else json.dumps(body).encode()
        headers = {"Authorization": self._authorization, "Accept": "application/json"}
        if content:
            headers["Content-Type"] = content
        request = urllib.request.Request(f"{self._server}{path}", data=data, headers=headers, method=method)
        try:
            with self._opener.open(request, timeout=_ANSWER_SECONDS) as answer:
                return cast(Properties, json.loads(answer.read()))
        except urllib.error.HTTPError as error:
            with error:
                message = _message(error.read())
            if error.code == HTTPStatus.NOT_FOUND and content != _APPLY:  # an apply makes a missing object
                raise _MissingError(message) from error
            if error.code in (HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.GATEWAY_TIMEOUT):
                raise _BusyError(message) from error
            raise RefusedError(message) from error


class _MissingError(Exception):
    """The server has no such object or API group."""


class _BusyError(Exception):
    """The server cannot answer now."""


def _message(body: bytes) -> str:
    try:
        return str(cast(Properties, json.loads(body)).get("message"))
    except ValueError:
        return body.decode(errors="replace").strip()
