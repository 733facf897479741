from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from sandbox.control_plane.part import running
from sandbox.errors import SandboxError
from sandbox.session.supervisor import Processes


@pytest.fixture
def block() -> Iterator[ExitStack]:
    with ExitStack() as made:
        yield made


def processes(block: ExitStack, folder: Path, command: str) -> Processes:
    part = block.enter_context(running("sleeper", ["sh", "-c", command], folder))
    return Processes(folder, block, {part.name: part})


def test_nothing_is_said_of_processes_that_live(block: ExitStack, tmp_path: Path) -> None:
    made = processes(block, tmp_path, "sleep 60")
    assert made.look() == []
    assert made.status()[0].restarts == 0


def test_a_process_that_was_killed_is_started_again_and_its_log_is_named(block: ExitStack, tmp_path: Path) -> None:
    made = processes(block, tmp_path, "echo begun; sleep 60")
    first = made.parts["sleeper"].process
    first.kill()
    first.wait()
    (line,) = made.look()
    assert f"sleeper was killed by signal 9; its log is {tmp_path / 'sleeper.log'}; it was started again" in line
    (now,) = made.status()
    assert now.pid != first.pid
    assert now.restarts == 1


def test_a_process_that_keeps_ending_ends_the_sandbox(block: ExitStack, tmp_path: Path) -> None:
    made = processes(block, tmp_path, "exit 3")

    def look() -> None:
        made.parts["sleeper"].process.wait()
        made.look()

    for _ in range(5):
        look()
    with pytest.raises(SandboxError, match=r"ended with code 3; its log is .*It has ended 6 times within a minute"):
        look()
