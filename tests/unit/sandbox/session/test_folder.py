from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from sandbox.session.folder import PartStatus, Process, SessionFolder, Status, request_part, requested_values


def test_a_folder_without_a_sandbox_has_no_stack_and_no_supervisor(tmp_path: Path) -> None:
    folder = SessionFolder(tmp_path / "sandbox")
    assert folder.stack() is None
    assert folder.status() is None
    assert folder.supervisor() is None


def test_what_the_supervisor_says_is_read_as_it_was_written(tmp_path: Path) -> None:
    folder = SessionFolder(tmp_path)
    status = Status(Process.own(), ready=True, parts=(PartStatus("etcd", 7, "/log", 1),), events=("etcd was killed",))
    folder.write_status(status)
    assert folder.status() == status
    supervisor = folder.supervisor()
    assert supervisor is not None
    assert supervisor.pid == os.getpid()


def test_a_number_that_another_process_has_now_is_not_the_supervisor(tmp_path: Path) -> None:
    folder = SessionFolder(tmp_path)
    folder.write_status(Status(replace(Process.own(), started=1.0)))
    assert folder.supervisor() is None


def test_a_part_is_wanted_with_values_until_its_release_is_gone(tmp_path: Path) -> None:
    assert requested_values(tmp_path, "karpenter") is None
    request_part(tmp_path, "karpenter", {"settings": {"featureGates": {"nodeOverlay": True}}})
    assert requested_values(tmp_path, "karpenter") == {"settings": {"featureGates": {"nodeOverlay": True}}}
    assert requested_values(tmp_path, "kueue") is None
    request_part(tmp_path, "karpenter", None)
    assert requested_values(tmp_path, "karpenter") is None
