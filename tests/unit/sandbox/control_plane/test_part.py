from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from sandbox.control_plane.part import running
from sandbox.errors import SandboxError

WAITS = [sys.executable, "-c", "import time; print('up', flush=True); time.sleep(600)"]
STUBBORN = [
    sys.executable,
    "-c",
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); time.sleep(600)",
]


def failing() -> None:
    raise RuntimeError("the block")


def test_a_part_runs_inside_its_block_and_is_gone_after_it(tmp_path: Path) -> None:
    with running("waiting", WAITS, tmp_path) as part:
        part.must_live()
    assert not psutil.pid_exists(part.process.pid)


def test_it_is_gone_after_a_block_that_failed(tmp_path: Path) -> None:
    pids: list[int] = []

    def block() -> None:
        with running("waiting", WAITS, tmp_path) as part:
            pids.append(part.process.pid)
            failing()

    with pytest.raises(RuntimeError, match="the block"):
        block()
    assert not psutil.pid_exists(pids[0])


def test_it_leads_a_session_of_its_own_so_that_the_terminal_does_not_interrupt_it(tmp_path: Path) -> None:
    with running("waiting", WAITS, tmp_path) as part:
        assert os.getsid(part.process.pid) == part.process.pid


@pytest.mark.slow  # waits for processes
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux kills a process with its parent")
def test_it_dies_with_an_owner_that_was_killed_and_could_stop_nothing(tmp_path: Path) -> None:
    owner = (
        "import sys, time\n"
        "from pathlib import Path\n"
        "from sandbox.control_plane.part import running\n"
        f"with running('waiting', {WAITS!r}, Path({str(tmp_path)!r})) as part:\n"
        "    while not part.log.read_bytes():\n"
        "        part.must_live()\n"
        "    print(part.process.pid, flush=True)\n"
        "    time.sleep(600)\n"
    )
    with subprocess.Popen([sys.executable, "-c", owner], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        part = psutil.Process(int(process.stdout.readline()))
        process.kill()
    # The machine's init process reaps a process without a parent; without an init process it stays a zombie.
    gone, _ = psutil.wait_procs([part], timeout=30)
    assert gone or part.status() == psutil.STATUS_ZOMBIE


def test_one_that_ignores_the_request_to_end_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sandbox.control_plane.part._GRACE_SECONDS", 0.2)
    with running("stubborn", STUBBORN, tmp_path) as part:
        while not part.log.read_bytes():
            part.must_live()
    assert part.process.returncode == -signal.SIGKILL


@pytest.mark.parametrize(
    ("ends", "how"),
    [("sys.exit(3)", "ended with code 3"), ("os.kill(os.getpid(), 9)", "was killed by signal 9")],
)
def test_one_that_ended_is_named_with_its_log_and_what_it_said_last(tmp_path: Path, ends: str, how: str) -> None:
    program = f"import os, sys; print('no such flag', flush=True); {ends}"
    with running("server", [sys.executable, "-c", program], tmp_path) as part:
        part.process.wait()
        with pytest.raises(SandboxError) as raised:
            part.must_live()
    for text in ("server", how, str(tmp_path / "server.log"), "no such flag"):
        assert text in str(raised.value)


def test_a_command_that_is_not_there_is_one_clear_message(tmp_path: Path) -> None:
    with (
        pytest.raises(SandboxError, match=r"server does not start: there is no command .*absent"),
        running("server", [tmp_path / "absent"], tmp_path),
    ):
        pytest.fail("it cannot run")
