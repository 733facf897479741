"""The Kubernetes stand-in on a real API server, which receives the objects and releases and accepts or refuses them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from gpuplatform.standard import keys
from sandbox.cloud import kubernetes
from sandbox.cloud.api import FIELD_MANAGER, Api
from sandbox.cloud.input_validation import RELEASE, RefusedError
from sandbox.cloud.releases import Releases
from sandbox.cloud.store import Entry, Properties, Store

_READY_SECONDS = 360.0
_GONE_SECONDS = 300.0
_CONDITION = "condition="


@dataclass(frozen=True, slots=True)
class ClusterService:
    """The API of a real cluster. Made objects are recorded in the store too, for recovery after an interruption."""

    world: Store
    api: Api
    releases: Releases
    options: kubernetes.ProviderOptions

    @classmethod
    def of(
        cls, world: Store, api: Api, control_plane: Path, options: kubernetes.ProviderOptions | None = None
    ) -> ClusterService:
        """The service of the control plane in a folder; without options, with the provider's defaults."""
        return cls(world, api, Releases(api, control_plane), options or kubernetes.ProviderOptions())

    def replaces(self, token: str, old: Properties, new: Properties, changed_inputs: set[str]) -> set[str]:
        """The changed inputs for which the provider replaces an object."""
        return kubernetes.replaces(self.options, token, old, new, changed_inputs)

    def dry_run(self, old: Entry, inputs: Properties) -> None:
        """Refuse as the provider would: this server would not, because objects are made by server-side apply here."""
        kubernetes.dry_run(self.world, old, inputs)

    def deletes_first(self, token: str, old: Properties, new: Properties) -> bool:
        """True unless the object moves to another name or namespace."""
        del token
        return not kubernetes.has_moved(old, new)

    def create(self, urn: str, token: str, inputs: Properties) -> Entry:
        """Apply, and wait where the object's annotation asks for it."""
        if token != RELEASE:
            self._must_be_new(inputs)
        self._make(token, inputs, None)
        entry = Entry(urn, token, kubernetes.identifier(token, inputs), inputs, kubernetes.outputs(token, inputs))
        if self.world.find(token, entry.id) is None:  # an interrupted run may already have recorded it
            self.world.create(entry, set(), set())
        return entry

    def update(self, old: Entry, inputs: Properties) -> Entry:
        """Apply again; fields that the document no longer names are removed."""
        self._make(old.type, inputs, old.inputs)
        entry = Entry(old.urn, old.type, old.id, inputs, kubernetes.outputs(old.type, inputs))
        self.world.update(entry, set(), set())
        return entry

    def delete(self, entry: Entry) -> None:
        """Delete and wait until the last finalizer is removed."""
        if entry.type == RELEASE:
            kubernetes.release_is_needed(self.world, str(entry.inputs.get("chart")).rsplit("/", 1)[-1])
            self.releases.uninstall(entry.inputs)
        else:
            self.api.delete(self.api.place(entry.inputs), _GONE_SECONDS)
        self.world.delete(entry)

    def _make(self, token: str, inputs: Properties, earlier: Properties | None) -> None:
        if token == RELEASE:
            self.releases.install(inputs, earlier)
            return
        self.api.apply(inputs)
        self._await(inputs)

    def _must_be_new(self, inputs: Properties) -> None:
        """Refuse to take over an object, unless an interrupted run of this provider made it."""
        existing = self.api.read(self.api.place(inputs))
        if existing is None:
            return
        metadata = cast(Properties, existing["metadata"])
        managers = [
            managed_field.get("manager")
            for managed_field in cast(list[Properties], metadata.get("managedFields") or [])
        ]
        if FIELD_MANAGER not in managers:
            raise RefusedError(f'{existing["kind"]} "{metadata["name"]}" already exists')

    def _await(self, inputs: Properties) -> None:
        metadata = cast(Properties, inputs["metadata"])
        wait_for = str(cast(Properties, metadata.get("annotations") or {}).get(keys.PULUMI_WAIT_FOR, ""))
        if not wait_for:
            return
        if not wait_for.startswith(_CONDITION):
            raise RefusedError(f"the stand-in waits for conditions only, not for {wait_for!r}")
        awaited, place = wait_for.removeprefix(_CONDITION), self.api.place(inputs)
        unmet: list[object] = []

        def is_met() -> bool:
            live_object = self.api.read(place) or {}
            status = cast(Properties, live_object.get("status") or {})
            conditions = cast(list[Properties], status.get("conditions") or [])
            unmet[:] = [condition for condition in conditions if condition.get("status") != "True"]
            return any(
                condition.get("type") == awaited and condition.get("status") == "True" for condition in conditions
            )

        if not self.api.wait(is_met, _READY_SECONDS):
            raise RefusedError(f'timed out waiting for the condition "{awaited}" of {place.path}: {json.dumps(unmet)}')
