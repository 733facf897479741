from __future__ import annotations

import io
from pathlib import Path
from typing import TextIO

import pytest

from sandbox.tools import acquire as module
from sandbox.tools.acquire import acquire, at_hand
from sandbox.tools.child import ToolUnavailableError
from sandbox.tools.go import Go
from sandbox.tools.table import KUBECTL, Tool


def write(folder: Path, prints: str, code: int = 0) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "kubectl"
    path.write_text(f"#!/bin/sh\necho '{prints}'\nexit {code}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


@pytest.fixture(autouse=True)
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without tools, on which every build fails."""

    def folder() -> Path:
        (tmp_path / "tools").mkdir(exist_ok=True)
        return tmp_path / "tools"

    def no_build(tool: Tool, out: TextIO, go: Go | None) -> str:
        return "compiling ended with code 1 after 0 s"

    for module_name in ("sandbox.tools.cache", "sandbox.tools.build"):
        monkeypatch.setattr(f"{module_name}.tools_folder", folder)
    monkeypatch.setattr(module, "build", no_build)
    monkeypatch.setenv("PATH", str(tmp_path / "path"))


def builds(monkeypatch: pytest.MonkeyPatch, made: Path) -> None:
    def build(tool: Tool, out: TextIO, go: Go | None) -> Path:
        return made

    monkeypatch.setattr(module, "build", build)


def test_a_tool_on_path_that_fits_is_used_before_a_built_one(tmp_path: Path) -> None:
    on_path = write(tmp_path / "path", "Client Version: v1.34.1")
    write(tmp_path / "tools" / KUBECTL.folder / "bin", "Client Version: v1.35.4")
    available = acquire(KUBECTL, io.StringIO())
    assert (available.command, available.version, available.source) == (on_path, "1.34.1", "PATH")


@pytest.mark.parametrize(("prints", "code"), [("Client Version: v1.32.4", 0), ("broken", 0), ("v1.35.0", 1)])
def test_a_tool_on_path_that_is_too_old_or_does_not_run_gives_way_to_the_cache(
    tmp_path: Path, prints: str, code: int
) -> None:
    write(tmp_path / "path", prints, code)
    kept = write(tmp_path / "tools" / KUBECTL.folder / "bin", "Client Version: v1.35.4")
    available = at_hand(KUBECTL)
    assert available is not None
    assert (available.command, available.version) == (kept, "1.35.4")


def test_a_build_comes_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = write(tmp_path / "made", "v1.35.4")
    builds(monkeypatch, made)
    assert at_hand(KUBECTL) is None
    available = acquire(KUBECTL, io.StringIO())
    assert (available.command, available.source) == (made, "its Go module")


def test_where_nothing_helps_one_report_says_what_was_tried_and_how_to_supply_it(tmp_path: Path) -> None:
    write(tmp_path / "path", "Client Version: v1.32.4")
    with pytest.raises(ToolUnavailableError) as raised:
        acquire(KUBECTL, io.StringIO())
    for text in ("is 1.32.4; wanted is 1.33.0 or newer", "compiling ended with code 1", "put kubectl", "GOPROXY"):
        assert text in str(raised.value)
