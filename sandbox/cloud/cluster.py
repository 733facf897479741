"""The Kubernetes stand-in on a real API server: objects and releases go there, and it decides."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from gpuplatform.standard import keys
from sandbox.cloud import kubernetes
from sandbox.cloud.api import FIELD_MANAGER, Api
from sandbox.cloud.refusals import RefusedError
from sandbox.cloud.releases import Releases
from sandbox.cloud.strict import RELEASE
from sandbox.cloud.world import Entry, Properties, World

_READY_SECONDS = 360.0
_GONE_SECONDS = 300.0
_CONDITION = "condition="


@dataclass(frozen=True, slots=True)
class ClusterService:
    """One cluster's API, where the cluster is real. What was made is remembered too, for a run that is interrupted."""

    world: World
    api: Api
    releases: Releases
    options: kubernetes.ProviderOptions

    @classmethod
    def of(
        cls, world: World, api: Api, control_plane: Path, options: kubernetes.ProviderOptions | None = None
    ) -> ClusterService:
        """The service of the control plane in a folder; without options, as the provider is by default."""
        return cls(world, api, Releases(api, control_plane), options or kubernetes.ProviderOptions())

    def replaces(self, token: str, old: Properties, new: Properties, changed: set[str]) -> set[str]:
        """As the provider does."""
        return kubernetes.replaces(self.options, token, old, new, changed)

    def dry_run(self, old: Entry, inputs: Properties) -> None:
        """As with the provider: here objects are made by server-side apply, so this server would not say."""
        kubernetes.dry_run(self.world, old, inputs)

    def deletes_first(self, token: str, old: Properties, new: Properties) -> bool:
        """Unless it moves to another name or namespace."""
        del token
        return not kubernetes.moved(old, new)

    def create(self, urn: str, token: str, inputs: Properties) -> Entry:
        """Apply, and wait where the object says that it is waited for."""
        if token != RELEASE:
            self._must_be_new(inputs)
        self._make(token, inputs, None)
        entry = Entry(urn, token, kubernetes.identifier(token, inputs), inputs, kubernetes.outputs(token, inputs))
        if self.world.find(token, entry.id) is None:  # an interrupted run may have come this far
            self.world.create(entry, set(), set())
        return entry

    def update(self, old: Entry, inputs: Properties) -> Entry:
        """Apply again; what is no longer said is taken away."""
        self._make(old.type, inputs, old.inputs)
        entry = Entry(old.urn, old.type, old.id, inputs, kubernetes.outputs(old.type, inputs))
        self.world.update(entry, set(), set())
        return entry

    def delete(self, entry: Entry) -> None:
        """Delete and wait until the last finalizer is off."""
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
        """An object that somebody else made is not taken over; one of an interrupted run is."""
        found = self.api.read(self.api.place(inputs))
        if found is None:
            return
        metadata = cast(Properties, found["metadata"])
        managers = [each.get("manager") for each in cast(list[Properties], metadata.get("managedFields") or [])]
        if FIELD_MANAGER not in managers:
            raise RefusedError(f'{found["kind"]} "{metadata["name"]}" already exists')

    def _await(self, inputs: Properties) -> None:
        metadata = cast(Properties, inputs["metadata"])
        wanted = str(cast(Properties, metadata.get("annotations") or {}).get(keys.PULUMI_WAIT_FOR, ""))
        if not wanted:
            return
        if not wanted.startswith(_CONDITION):
            raise RefusedError(f"the stand-in waits for conditions only, not for {wanted!r}")
        condition, place = wanted.removeprefix(_CONDITION), self.api.place(inputs)
        said: list[object] = []

        def true() -> bool:
            found = self.api.read(place) or {}
            status = cast(Properties, found.get("status") or {})
            said[:] = [
                each for each in cast(list[Properties], status.get("conditions") or []) if each.get("status") != "True"
            ]
            conditions = cast(list[Properties], status.get("conditions") or [])
            return any(each.get("type") == condition and each.get("status") == "True" for each in conditions)

        if not self.api.wait(true, _READY_SECONDS):
            raise RefusedError(f'timed out waiting for the condition "{condition}" of {place.path}: {json.dumps(said)}')
