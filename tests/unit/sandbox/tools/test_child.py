from __future__ import annotations

import io
import os
import sys
import time
from pathlib import Path

import psutil
import pytest

from sandbox.tools.child import ChildResult, run_child


def run(tmp_path: Path, program: str, limit_seconds: float = 60.0) -> tuple[ChildResult, str, str]:
    out, log = io.StringIO(), tmp_path / "log"
    ended = run_child(
        [sys.executable, "-c", program],
        what="thinking",
        log=log,
        cwd=tmp_path,
        env=os.environ,
        limit_seconds=limit_seconds,
        out=out,
    )
    return ended, log.read_text(encoding="utf-8"), out.getvalue()


def test_what_a_child_says_is_in_its_log_and_its_code_is_kept(tmp_path: Path) -> None:
    ended, log, _ = run(tmp_path, "import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)")
    assert ended.code == 3
    assert not ended.ok
    assert "out" in log
    assert "err" in log


@pytest.mark.slow  # waits for processes
def test_at_its_limit_a_child_goes_and_takes_its_own_children_along(tmp_path: Path) -> None:
    log = tmp_path / "log"
    ended = run_child(
        # A shell starts at once, however busy the machine is.
        ["/bin/sh", "-c", "sleep 600 & echo $!; wait"],
        what="sleeping",
        log=log,
        cwd=tmp_path,
        env=os.environ,
        limit_seconds=2.0,
        out=io.StringIO(),
    )
    assert ended.code is None
    assert "time limit" in ended.in_words()
    left = int(log.read_text(encoding="utf-8"))
    deadline = time.monotonic() + 30
    while _runs(left) and time.monotonic() < deadline:
        time.sleep(0.01)  # the kernel takes a moment to end a killed process
    assert not _runs(left)


def _runs(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_a_command_that_is_not_there_ends_as_in_a_shell(tmp_path: Path) -> None:
    ended = run_child(
        [str(tmp_path / "absent")],
        what="nothing",
        log=tmp_path / "log",
        cwd=tmp_path,
        env={},
        limit_seconds=1.0,
        out=io.StringIO(),
    )
    assert ended.code == 127
    assert "absent" in (tmp_path / "log").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("ended", "words"),
    [
        (ChildResult(1, 3.2), "ended with code 1 after 3 s"),
        (ChildResult(None, 120.0), "was stopped at its time limit after 120 s"),
    ],
)
def test_the_end_of_a_child_is_said_in_words(ended: ChildResult, words: str) -> None:
    assert ended.in_words() == words
