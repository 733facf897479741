"""Going on after an interruption: a lock of a process that is gone, and operations that nobody saw the end of."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import cast

import psutil

from sandbox.cloud.world import Entry, World

State = dict[str, object]


def clear_dead_locks(backend: Path) -> int:
    """Remove the backend's locks whose owner runs no more; how many they were."""
    cleared = 0
    for lock in (backend / ".pulumi" / "locks").rglob("*.json"):
        owner = _owner(lock)
        if owner is None or not psutil.pid_exists(owner):
            lock.unlink(missing_ok=True)
            cleared += 1
    return cleared


def _owner(lock: Path) -> int | None:
    try:
        return int(json.loads(lock.read_text(encoding="utf-8"))["pid"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def settle(deployment: State, world: World) -> tuple[State, list[str]]:
    """The deployment with every pending operation resolved, and a line for each.

    What a pending create has really made is taken into the state, so that it is neither lost nor made twice. An update
    or a delete that was interrupted is simply done again by the next run.
    """
    pending = cast(list[State], deployment.get("pending_operations") or [])
    if not pending:
        return deployment, []
    resources = [dict(each) for each in cast(list[State], deployment.get("resources") or [])]
    lines: list[str] = []
    known = {(each.get("urn"), each.get("id")) for each in resources}
    for operation in pending:
        resource = dict(cast(State, operation["resource"]))
        urn = str(resource["urn"])
        name = urn.rsplit("::", 1)[-1]
        if operation.get("type") != "creating":
            lines.append(f"{name}: {operation.get('type')} was interrupted; it is done again")
            continue
        made = [entry for entry in world.made_as(urn) if (urn, entry.id) not in known]
        if not made:
            lines.append(f"{name}: creating was interrupted before anything was made")
            continue
        resources.append(_adopted(resource, made[-1]))
        lines.append(f"{name}: had been made as {made[-1].id}; taken over")
    return {**deployment, "resources": resources, "pending_operations": []}, lines


def _adopted(resource: State, entry: Entry) -> State:
    return {**resource, "id": entry.id, "outputs": entry.outputs}


def protected_clusters(deployment: State) -> list[str]:
    """Names of clusters in the state that EKS refuses to delete."""
    resources = cast(Iterable[State], deployment.get("resources") or [])
    found: list[str] = []
    for each in resources:
        inputs = cast(State, each.get("inputs") or {})
        if each.get("type") == "aws:eks/cluster:Cluster" and inputs.get("deletionProtection") is True:
            found.append(str(inputs.get("name")))
    return found
