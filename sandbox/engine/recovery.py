"""Going on after an interruption: a lock of a process that is gone, and operations that nobody saw the end of."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import cast

import psutil

from sandbox.cloud.world import Entry, World
from sandbox.errors import SandboxError

_PATIENCE_SECONDS = 30.0

State = dict[str, object]


def clear_dead_locks(backend: Path) -> int:
    """Remove the backend's locks whose owner runs no more; how many they were.

    An engine whose program was killed ends by itself within seconds, so a living owner is waited for. SandboxError
    when it goes on: somebody runs the engine on this state by hand.
    """
    cleared = 0
    for lock in (backend / ".pulumi" / "locks").rglob("*.json"):
        owner = _owner(lock)
        if owner is not None and not _ends(owner):
            raise SandboxError(
                f"the engine of another run still works on this stack (process {owner}). Change: wait until it has"
                " ended, or end it."
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
    """Whether an engine is gone, or goes while it is waited for; a number that another program has now is gone."""
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


def settle(deployment: State, world: World) -> tuple[State, list[str]]:
    """The deployment with every pending operation resolved, and a line for each.

    What a pending create has really made is taken into the state, so that it is neither lost nor made twice; what a
    pending delete has really unmade is taken out of it. An interrupted update is simply done again by the next run.
    """
    pending = cast(list[State], deployment.get("pending_operations") or [])
    if not pending:
        return deployment, []
    resources = [dict(each) for each in cast(list[State], deployment.get("resources") or [])]
    lines: list[str] = []
    for operation in pending:
        resource = dict(cast(State, operation["resource"]))
        resources, line = _SETTLERS.get(str(operation.get("type")), _again)(resources, resource, world)
        lines.append(line)
    return {**deployment, "resources": resources, "pending_operations": []}, lines


Settled = tuple[list[State], str]


def _created(resources: list[State], resource: State, world: World) -> Settled:
    urn = str(resource["urn"])
    known = {each.get("id") for each in resources if each.get("urn") == urn}
    made = [entry for entry in world.made_as(urn) if entry.id not in known]
    if not made:
        return resources, f"{_name(urn)}: creating was interrupted before anything was made"
    # Where a replacement was made, the replaced one is still to be deleted.
    others = [{**each, "delete": True} if each.get("urn") == urn else each for each in resources]
    adopted = {**resource, "id": made[-1].id, "outputs": _outputs(resource, made[-1])}
    return [*others, adopted], f"{_name(urn)}: had been made as {made[-1].id}; taken over"


def _deleted(resources: list[State], resource: State, world: World) -> Settled:
    urn, id_ = str(resource["urn"]), str(resource.get("id"))
    if world.find(str(resource["type"]), id_) is not None:
        return resources, f"{_name(urn)}: deleting was interrupted before it was gone"
    left = [each for each in resources if (each.get("urn"), each.get("id")) != (urn, id_)]
    return left, f"{_name(urn)}: had been deleted; taken out"


def _again(resources: list[State], resource: State, world: World) -> Settled:
    del world
    return resources, f"{_name(str(resource['urn']))}: was interrupted; it is done again"


_SETTLERS = {"creating": _created, "deleting": _deleted}


def _name(urn: str) -> str:
    return urn.rsplit("::", 1)[-1]


def _outputs(resource: State, entry: Entry) -> State:
    """What was made, with the inputs as the engine wrote them: its secrets stay sealed."""
    inputs = cast(State, resource.get("inputs") or {})
    return {**entry.outputs, **inputs}


def protected_clusters(deployment: State) -> list[str]:
    """Names of clusters in the state that EKS refuses to delete."""
    resources = cast(Iterable[State], deployment.get("resources") or [])
    found: list[str] = []
    for each in resources:
        inputs = cast(State, each.get("inputs") or {})
        if each.get("type") == "aws:eks/cluster:Cluster" and inputs.get("deletionProtection") is True:
            found.append(str(inputs.get("name")))
    return found


def unprotected(deployment: State) -> State:
    """The state without the engine's own protection of any resource."""
    resources = cast(Iterable[State], deployment.get("resources") or [])
    return {**deployment, "resources": [{key: each[key] for key in each if key != "protect"} for each in resources]}
