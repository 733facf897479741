"""A log that a message names still exists when the message is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandbox.errors import SandboxError
from sandbox.simulate.run import keep_logs


class OtherError(SandboxError):
    """An error that is not about a process."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a cluster, with one log in it; the user's cache is elsewhere."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    made = tmp_path / "cluster"
    (made / "plane").mkdir(parents=True)
    (made / "plane" / "etcd.log").write_text("no space\n", encoding="utf-8")
    return made


def test_the_log_that_a_message_names_outlives_the_folder(folder: Path) -> None:
    with pytest.raises(SandboxError) as caught, keep_logs(folder, unless=OtherError):
        raise SandboxError(f"etcd ended with code 1; its log is {folder / 'plane' / 'etcd.log'}")
    named = Path(str(caught.value).rsplit(" ", 1)[-1])
    assert folder not in named.parents
    assert named.read_text(encoding="utf-8") == "no space\n"


def test_only_the_last_failure_is_kept(folder: Path) -> None:
    with pytest.raises(SandboxError), keep_logs(folder, unless=OtherError):
        raise SandboxError("once")
    (folder / "plane" / "etcd.log").rename(folder / "plane" / "kwok.log")
    with pytest.raises(SandboxError) as caught, keep_logs(folder, unless=OtherError):
        raise SandboxError(f"{folder}")
    assert [path.name for path in Path(str(caught.value)).rglob("*.log")] == ["kwok.log"]


def test_where_no_copy_can_be_made_the_message_is_what_it_was(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file is in the way", encoding="utf-8")
    with pytest.raises(SandboxError, match=f"^its log is {folder}$"), keep_logs(folder, unless=OtherError):
        raise SandboxError(f"its log is {folder}")


def test_a_refused_workload_keeps_nothing(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(OtherError, match=str(folder)), keep_logs(folder, unless=OtherError):
        raise OtherError(str(folder))
    assert not (tmp_path / "cache").exists()
