"""The API of a Kubernetes server: objects as plain data, by their apiVersion and kind.

lightkube makes the requests. It has no discovery, so a kind's plural and scope, and the server's readiness, are read
with lightkube's HTTP client.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from typing import TypeVar, cast

import httpx2
import yaml
from lightkube import ApiError, Client, KubeConfig
from lightkube.config.client_adapter import Client as HttpClient
from lightkube.config.client_adapter import ConnectionParams
from lightkube.core.resource import api_info
from lightkube.generic_resource import (
    GenericGlobalResource,
    GenericNamespacedResource,
    create_api_info,  # pyright: ignore[reportUnknownVariableType]
)
from lightkube.operators import Operator
from lightkube.types import CascadeType, PatchType

from sandbox.cloud.references import at_path
from sandbox.cloud.store import Properties
from sandbox.errors import RefusedError

SANDBOX = "gpu-platform"
PROVIDER = "pulumi-kubernetes"
"""Field managers of objects: what the sandbox puts there itself, and what the stand-in provider applies."""
_ANSWER_SECONDS = 60.0
_READY_SECONDS = 5.0
_PATIENCE_SECONDS = 30.0
"""The longest wait for a server that does not answer: its supervisor may be starting it again."""
_POLL_SECONDS = 0.2
_BUSY = (HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.GATEWAY_TIMEOUT)

_T = TypeVar("_T")
Selector = Mapping[str, str | Iterable[str] | Operator[None] | None]
"""The wanted value of each label, one of several values, an operator, or None where the label must exist."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where one object is on the server."""

    resource: type[GenericNamespacedResource]
    name: str
    namespace: str

    def __str__(self) -> str:
        within = f"{self.namespace}/" if _namespaced(self.resource) else ""
        return f"{api_info(self.resource).resource.kind} {within}{self.name}"


class Api:
    """One server, with the address and the credentials of a kubeconfig in YAML or JSON. Threads may share it.

    A refusal is a ``RefusedError`` with the server's own message. A wait ends with one when ``cancelled`` is set.
    """

    def __init__(self, kubeconfig: str, cancelled: threading.Event | None = None) -> None:
        config = KubeConfig.from_dict(yaml.safe_load(kubeconfig)).get()  # pyright: ignore[reportUnknownMemberType]
        assert config is not None, "a kubeconfig names its current context"
        self._server = config.cluster.server
        self._cancelled = cancelled or threading.Event()
        timeout = httpx2.Timeout(_ANSWER_SECONDS)
        # The user's proxy is not used: the server is on loopback.
        self._client = Client(config, timeout=timeout, trust_env=False)
        self._http = HttpClient(config, ConnectionParams(timeout=timeout, trust_env=False))
        self._resources: dict[tuple[str, str], type[GenericNamespacedResource]] = {}

    def close(self) -> None:
        """Close the connections."""
        self._client.close()
        self._http.close()

    def ready(self) -> bool:
        """Whether the server reports that it is ready, at this moment."""
        try:
            return self._http.get("/readyz", timeout=_READY_SECONDS).is_success
        except httpx2.TransportError:
            return False

    def serves(self, version: str, kind: str) -> bool:
        """Whether the server knows a kind."""
        return self._resource(version, kind) is not None

    def place(self, document: Mapping[str, object]) -> Place:
        """Where a document's object is. Raises RefusedError where the server does not know the kind."""
        metadata = cast(Mapping[str, object], document["metadata"])
        resource = self._known(str(document["apiVersion"]), str(document["kind"]))
        return Place(resource, str(metadata["name"]), str(metadata.get("namespace", "default")))

    def apply(self, document: Mapping[str, object]) -> Properties:
        """Server-side apply as the provider. A field that another manager owns is refused, as with the real one."""
        return self._patch(self.place(document), document, manager=PROVIDER)

    def put(self, document: Mapping[str, object], manager: str = SANDBOX, *, dry_run: bool = False) -> Properties:
        """Server-side apply as another field manager than the provider; it takes over fields of every other manager."""
        return self._patch(self.place(document), document, manager=manager, force=True, dry_run=dry_run)

    def put_all(self, documents: Iterable[Mapping[str, object]]) -> None:
        """Put each document, in order. Raises RefusedError with the message about each one that is refused."""
        refusals: list[str] = []
        for document in documents:
            try:
                self.put(document)
            except _AwayError:
                raise
            except RefusedError as error:
                refusals += error.messages
        if refusals:
            raise RefusedError(*refusals)

    def merge(self, place: Place, change: Mapping[str, object]) -> None:
        """Change some fields of an object; an object that no longer exists is no error."""
        with suppress(_MissingError):
            self._patch(place, change, PatchType.MERGE)

    def items(
        self,
        version: str,
        kind: str,
        namespace: str | None = None,
        *,
        labels: Selector | None = None,
        fields: Mapping[str, str] | None = None,
    ) -> list[Properties]:
        """The objects of a kind in every namespace, or in one, by selectors."""
        resource = self._known(version, kind)
        where = (namespace or "*") if _namespaced(resource) else None

        def listed() -> list[Properties]:
            objects = self._client.list(  # pyright: ignore[reportUnknownMemberType]
                resource, namespace=where, labels=dict(labels or {}), fields=dict(fields or {})
            )
            # The items of a list lack what the list itself has said.
            return [{"apiVersion": version, "kind": kind, **cast(Properties, item)} for item in objects]

        return self._ask(listed)

    def read(self, place: Place) -> Properties | None:
        """The object; None where it does not exist."""
        with suppress(_MissingError):
            answer = self._ask(lambda: self._client.get(place.resource, place.name, namespace=place.namespace))
            return cast(Properties, answer)
        return None

    def remove(self, place: Place, *, foreground: bool = False, grace_seconds: int | None = None) -> None:
        """Ask for an object's deletion without waiting; an object that no longer exists is no error."""
        cascade = CascadeType.FOREGROUND if foreground else CascadeType.BACKGROUND
        with suppress(_MissingError):
            self._ask(
                lambda: self._client.delete(
                    place.resource, place.name, namespace=place.namespace, grace_period=grace_seconds, cascade=cascade
                )
            )

    def delete(self, place: Place, limit_seconds: float) -> None:
        """Delete in the foreground and wait until the object is gone; one that no longer exists is no error."""
        self.remove(place, foreground=True)
        self._await_gone([place], limit_seconds)

    def delete_all(
        self, documents: Iterable[Mapping[str, object]], limit_seconds: float, *, grace_seconds: int | None = None
    ) -> None:
        """Delete objects at once and wait until they are gone; those that no longer exist are no error."""
        places = [self.place(document) for document in documents]
        for place in places:
            self.remove(place, grace_seconds=grace_seconds)
        self._await_gone(places, limit_seconds)

    def wait(self, what: Callable[[], bool], limit_seconds: float) -> bool:
        """Whether a condition came true in time. Raises RefusedError where the engine is cancelled meanwhile."""
        end = time.monotonic() + limit_seconds
        while not what():
            if self._cancelled.wait(_POLL_SECONDS):
                raise RefusedError("interrupted while waiting")
            if time.monotonic() > end:
                return False
        return True

    def _await_gone(self, places: Iterable[Place], limit_seconds: float) -> None:
        remaining: dict[Place, Properties | None] = dict.fromkeys(places)

        def gone() -> bool:
            nonlocal remaining
            remaining = {place: present for place in remaining if (present := self.read(place)) is not None}
            return not remaining

        if not self.wait(gone, limit_seconds):
            finalizers = {place: list(at_path(present, "metadata.finalizers")) for place, present in remaining.items()}
            after = f"is not gone after {limit_seconds:g} s; finalizers"
            raise RefusedError(*(f"{place} {after}: {finalizers[place]}" for place in remaining))

    def _patch(
        self,
        place: Place,
        change: Mapping[str, object],
        patch_type: PatchType = PatchType.APPLY,
        *,
        manager: str | None = None,
        force: bool = False,
        dry_run: bool = False,
    ) -> Properties:
        def patched() -> object:
            return self._client.patch(  # pyright: ignore[reportUnknownMemberType]
                place.resource,
                place.name,
                dict(change),
                namespace=place.namespace,
                patch_type=patch_type,
                field_manager=manager,
                force=force,
                dry_run=dry_run,
            )

        return cast(Properties, self._ask(patched))

    def _known(self, version: str, kind: str) -> type[GenericNamespacedResource]:
        resource = self._resource(version, kind)
        if resource is None:
            raise RefusedError(f'no matches for kind "{kind}" in version "{version}"')
        return resource

    def _resource(self, version: str, kind: str) -> type[GenericNamespacedResource] | None:
        """lightkube's class of a kind; None where the server does not know the kind."""
        if (version, kind) not in self._resources:
            root = f"/apis/{version}" if "/" in version else f"/api/{version}"
            with suppress(_MissingError):
                listed = self._ask(lambda: self._http.get(root).raise_for_status().json())
                for entry in cast(list[dict[str, object]], listed["resources"]):
                    plural = str(entry["name"])
                    if entry["kind"] == kind and "/" not in plural:
                        resource = _class(version, kind, plural, bool(entry["namespaced"]))
                        self._resources.setdefault((version, kind), resource)
        return self._resources.get((version, kind))

    def _ask(self, what: Callable[[], _T]) -> _T:
        """One answer. Every request here may be sent twice, so a server that does not answer is asked again."""
        end = time.monotonic() + _PATIENCE_SECONDS
        while True:
            try:
                return what()
            except httpx2.HTTPStatusError as error:
                answer, failure = error.response, error
                if answer.status_code not in _BUSY:
                    refused = _MissingError if answer.status_code == HTTPStatus.NOT_FOUND else RefusedError
                    raise refused(_message(error)) from error
            except httpx2.TransportError as error:
                failure = error
            if time.monotonic() > end:
                raise _AwayError(f"the API server does not answer at {self._server}: {failure}") from failure
            if self._cancelled.wait(_POLL_SECONDS):
                raise _AwayError("interrupted while waiting for the API server") from failure


def is_so(document: Mapping[str, object], condition: str) -> bool:
    """Whether a condition of an object is true."""
    status = cast(Mapping[str, Sequence[Mapping[str, str]]], document.get("status") or {})
    return any((entry["type"], entry["status"]) == (condition, "True") for entry in status.get("conditions") or ())


class _MissingError(RefusedError):
    """The server has no such object, namespace or API group."""


class _AwayError(RefusedError):
    """The server does not answer."""


def _class(version: str, kind: str, plural: str, namespaced: bool) -> type[GenericNamespacedResource]:
    """A class of lightkube's. Not from its registry, which threads cannot share and which has no core group.

    A cluster-scoped class has the same methods: lightkube leaves the namespace out for it.
    """
    group, _, number = version.rpartition("/")
    base = GenericNamespacedResource if namespaced else GenericGlobalResource
    resource = type(kind, (base,), {"_api_info": create_api_info(group, number, kind, plural)})
    return cast(type[GenericNamespacedResource], resource)


def _namespaced(resource: type[object]) -> bool:
    return issubclass(resource, GenericNamespacedResource)


def _message(error: httpx2.HTTPStatusError) -> str:
    return str(error.status.message) if isinstance(error, ApiError) else error.response.text.strip()
