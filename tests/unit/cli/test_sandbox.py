from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cli.sandbox import sandbox
from sandbox import places
from sandbox.session.folder import PartStatus, Process, SessionFolder, Status


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SessionFolder:
    monkeypatch.setattr(places, "PROJECT", tmp_path)
    return SessionFolder(tmp_path / ".state" / "sandbox")


def asked(*arguments: str) -> Result:
    return CliRunner().invoke(sandbox, list(arguments))


@pytest.mark.parametrize("command", ["status", "kubeconfig", "down", "logs", "logs etcd"])
def test_without_a_sandbox_there_is_one_sentence_and_exit_code_1(folder: SessionFolder, command: str) -> None:
    result = asked(*command.split())
    assert result.exit_code == 1
    assert "there is no sandbox on this machine" in result.output
    assert len(result.output.splitlines()) == 1


def test_an_unknown_stack_is_wrong_usage(folder: SessionFolder) -> None:
    result = asked("up", "--stack", "moon")
    assert result.exit_code == 2
    assert "there is no stack 'moon'" in result.output


def test_status_says_what_runs_and_what_happened(folder: SessionFolder) -> None:
    folder.claim("dev")
    event = "12:00:00 etcd was killed by signal 9; its log is /logs/etcd.log; it was started again"
    folder.write_status(
        Status(Process.own(), ready=True, parts=(PartStatus("etcd", 7, "/logs/etcd.log", 1),), events=(event,))
    )
    result = asked("status")
    assert result.exit_code == 0
    assert result.output.splitlines()[0] == "dev: up"
    assert "process 7, started again 1 times" in result.output
    assert event in result.output


def test_status_of_a_sandbox_whose_supervisor_was_killed_says_how_to_go_on(folder: SessionFolder) -> None:
    folder.claim("dev")
    folder.write_status(Status(Process(2**22, 1.0), ready=True, parts=(PartStatus("etcd", 7, "/logs/etcd.log", 0),)))
    result = asked("status")
    assert result.exit_code == 1
    assert "down: its processes have ended" in result.output
    assert "sandbox up --stack dev" in result.output


def test_logs_lists_them_or_prints_one(folder: SessionFolder) -> None:
    folder.control_plane.mkdir(parents=True)
    (folder.control_plane / "etcd.log").write_text("begun\n", encoding="utf-8")
    assert asked("logs").output.strip().endswith("etcd.log")
    assert asked("logs", "etcd").output == "begun\n"
    assert asked("logs", "kubelet").exit_code == 2
