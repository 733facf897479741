"""Recovery after an interruption: locks of processes that have ended, and operations whose end was not recorded."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import cast

import psutil

from sandbox.cloud.store import Entry, Store
from sandbox.errors import SandboxError

_PATIENCE_SECONDS = 30.0

State = dict[str, object]


def clear_dead_locks(backend: Path) -> int:
    """Remove the backend's locks whose owner has ended; returns their number.

    An engine whose program was killed ends by itself within seconds, so a running owner is given time to end. Raises
    SandboxError when it does not: then another user or terminal runs the engine on this state.
    """
    cleared = 0
    for lock in (backend / ".pulumi" / "locks").rglob("*.json"):
        owner = _owner(lock)
        if owner is not None and not _ends(owner):
            raise SandboxError(
                f"the engine of another run is still using this stack (process {owner}). Change: wait until that"
                " process has ended, or end it."
            )
        lock.unlink(missing_ok=True)
        cleared += 1
    return cleared


def _owner(lock: Path) -> int | None:
    try:
        return int(json.loads(lock.read_text(encoding="utf-8"))["pid"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _ends(process_id: int) -> bool:
    """Whether an engine has ended, or ends in time; an id that now belongs to another program counts as ended."""
    try:
        process = psutil.Process(process_id)
        if "pulumi" not in process.name():
            return True
        process.wait(timeout=_PATIENCE_SECONDS)
    except psutil.NoSuchProcess:
        return True
    except psutil.TimeoutExpired:
        return False
    return True


def settle(deployment: State, world: Store) -> tuple[State, list[str]]:
    """The deployment with every pending operation resolved, and one line for each operation.

    A resource that a pending create has made is added to the state, so that it is neither lost nor made twice. A
    resource that a pending delete has removed is taken out of the state. The next run repeats an interrupted update.
    """
    operations = cast(list[State], deployment.get("pending_operations") or [])
    if not operations:
        return deployment, []
    resources = [dict(resource) for resource in cast(list[State], deployment.get("resources") or [])]
    lines: list[str] = []
    for operation in operations:
        resource = dict(cast(State, operation["resource"]))
        resources, line = _SETTLERS.get(str(operation.get("type")), _repeated)(resources, resource, world)
        lines.append(line)
    return {**deployment, "resources": resources, "pending_operations": []}, lines


Settled = tuple[list[State], str]


def _created(resources: list[State], resource: State, world: Store) -> Settled:
    urn = str(resource["urn"])
    ids_in_state = {item.get("id") for item in resources if item.get("urn") == urn}
    entries = [entry for entry in world.of_urn(urn) if entry.id not in ids_in_state]
    if not entries:
        return resources, f"{_name(urn)}: its creation was interrupted, and nothing was made"
    # Where a replacement was made, the replaced resource is still to be deleted.
    other_resources = [{**item, "delete": True} if item.get("urn") == urn else item for item in resources]
    recovered = {**resource, "id": entries[-1].id, "outputs": _outputs(resource, entries[-1])}
    return [
        *other_resources,
        recovered,
    ], f"{_name(urn)}: the interrupted run made it as {entries[-1].id}; this run adds it to the state"


def _deleted(resources: list[State], resource: State, world: Store) -> Settled:
    urn, id_ = str(resource["urn"]), str(resource.get("id"))
    if world.find(str(resource["type"]), id_) is not None:
        return resources, f"{_name(urn)}: its deletion was interrupted, and it still exists"
    other_resources = [item for item in resources if (item.get("urn"), item.get("id")) != (urn, id_)]
    return other_resources, f"{_name(urn)}: the interrupted run deleted it; this run removes it from the state"


def _repeated(resources: list[State], resource: State, world: Store) -> Settled:
    del world
    return resources, f"{_name(str(resource['urn']))}: the operation was interrupted; this run repeats it"


_SETTLERS = {"creating": _created, "deleting": _deleted}


def _name(urn: str) -> str:
    return urn.rsplit("::", 1)[-1]


def _outputs(resource: State, entry: Entry) -> State:
    """The made resource's outputs, with the inputs as the engine wrote them: its secrets stay encrypted."""
    inputs = cast(State, resource.get("inputs") or {})
    return {**entry.outputs, **inputs}


def protected_clusters(deployment: State) -> list[str]:
    """Names of clusters in the state that EKS refuses to delete."""
    resources = cast(Iterable[State], deployment.get("resources") or [])
    names: list[str] = []
    for resource in resources:
        inputs = cast(State, resource.get("inputs") or {})
        if resource.get("type") == "aws:eks/cluster:Cluster" and inputs.get("deletionProtection") is True:
            names.append(str(inputs.get("name")))
    return names


def unprotected(deployment: State) -> State:
    """The state without the engine's own protection of any resource."""
    resources = cast(Iterable[State], deployment.get("resources") or [])
    return {
        **deployment,
        "resources": [{key: resource[key] for key in resource if key != "protect"} for resource in resources],
    }
