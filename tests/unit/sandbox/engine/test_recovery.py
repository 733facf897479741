from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, cast

import psutil
import pytest

from sandbox.cloud.store import Entry, Store
from sandbox.engine import recovery
from sandbox.engine.recovery import State, clear_dead_locks, protected_clusters, settle, unprotected
from sandbox.errors import SandboxError

URN = "urn:pulumi:dev::p::t:m:T::thing"


@pytest.fixture
def world(tmp_path: Path) -> Store:
    return Store(tmp_path / "world.db")


def made(id_: str) -> Entry:
    return Entry(URN, "t:m:T", id_, {"secret": "s", "size": 1}, {"secret": "s", "size": 1, "arn": f"arn:{id_}"})


def resource(**more: object) -> State:
    return {
        "urn": URN,
        "type": "t:m:T",
        "custom": True,
        "inputs": {"size": 1, "secret": {"ciphertext": "v1:x"}},
        **more,
    }


def pending(operation: str, what: State, *resources: State) -> State:
    return {"resources": list(resources), "pending_operations": [{"type": operation, "resource": what}]}


def resources(deployment: State) -> list[State]:
    return cast(list[State], deployment["resources"])


def test_nothing_pending_is_nothing_to_do(world: Store) -> None:
    deployment: State = {"resources": [resource(id="1")]}
    assert settle(deployment, world) == (deployment, [])


def test_what_was_made_unseen_is_taken_over_with_its_secrets_sealed(world: Store) -> None:
    world.create(made("1"), set(), set())
    settled, lines = settle(pending("creating", resource()), world)
    (taken,) = resources(settled)
    assert taken["id"] == "1"
    assert taken["outputs"] == {"secret": {"ciphertext": "v1:x"}, "size": 1, "arn": "arn:1"}
    assert settled["pending_operations"] == []
    assert lines == ["thing: the interrupted run made it as 1; this run adds it to the state"]


def test_what_was_not_made_is_dropped(world: Store) -> None:
    settled, lines = settle(pending("creating", resource()), world)
    assert resources(settled) == []
    assert "before anything was made" in lines[0]


def test_a_replacement_made_unseen_leaves_the_replaced_one_to_be_deleted(world: Store) -> None:
    for id_ in ("1", "2"):
        world.create(made(id_), set(), set())
    settled, _ = settle(pending("creating", resource(), resource(id="1")), world)
    assert [(entry["id"], entry.get("delete")) for entry in resources(settled)] == [("1", True), ("2", None)]


def test_what_was_deleted_unseen_is_taken_out_and_what_was_not_stays(world: Store) -> None:
    gone = pending("deleting", resource(id="1"), resource(id="1"))
    assert resources(settle(gone, world)[0]) == []
    world.create(made("1"), set(), set())
    settled, lines = settle(gone, world)
    assert [entry["id"] for entry in resources(settled)] == ["1"]
    assert "before it was gone" in lines[0]


def test_an_interrupted_update_is_simply_done_again(world: Store) -> None:
    settled, lines = settle(pending("updating", resource(id="1"), resource(id="1")), world)
    assert len(resources(settled)) == 1
    assert "this run repeats it" in lines[0]


def lock(backend: Path, text: str) -> Path:
    path = backend / ".pulumi" / "locks" / "organization" / "p" / "dev" / "1.json"
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
    return path


LOCKS = {
    "of nobody": '{"pid": 4194305}',  # above the largest process number of Linux
    "empty": "",
    "torn": "{",
    "without a number": '{"pid": "?"}',
    "of a program that is no engine": f'{{"pid": {os.getpid()}}}',
}


@pytest.mark.parametrize("text", LOCKS.values(), ids=LOCKS)
def test_a_lock_whose_owner_is_gone_or_is_no_engine_is_released(tmp_path: Path, text: str) -> None:
    path = lock(tmp_path, text)
    assert clear_dead_locks(tmp_path) == 1
    assert not path.exists()


def test_a_lock_whose_engine_works_on_is_respected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = lock(tmp_path, json.dumps({"pid": os.getpid()}))

    def name(process: psutil.Process) -> str:
        return "pulumi"

    def wait(process: psutil.Process, timeout: float | None = None) -> None:
        raise psutil.TimeoutExpired(cast(Any, timeout))

    monkeypatch.setattr(recovery.psutil.Process, "name", name)
    monkeypatch.setattr(recovery.psutil.Process, "wait", wait)
    with pytest.raises(SandboxError, match=f"process {os.getpid()}"):
        clear_dead_locks(tmp_path)
    assert path.exists()


def test_no_locks_is_nothing_to_release(tmp_path: Path) -> None:
    assert clear_dead_locks(tmp_path) == 0


def test_a_protected_cluster_is_found_in_the_state() -> None:
    protected: State = {
        "type": "aws:eks/cluster:Cluster",
        "inputs": {"name": "c", "deletionProtection": True},
    }
    open_: State = {"type": "aws:eks/cluster:Cluster", "inputs": {"name": "d", "deletionProtection": False}}
    assert protected_clusters({"resources": [protected, open_, {"type": "t"}]}) == ["c"]
    assert protected_clusters({}) == []


def test_a_state_without_protection_is_the_same_state_otherwise() -> None:
    protected: State = {"type": "t", "inputs": {"name": "c"}, "protect": True}
    assert unprotected({"manifest": 1, "resources": [protected]}) == {
        "manifest": 1,
        "resources": [{"type": "t", "inputs": {"name": "c"}}],
    }
