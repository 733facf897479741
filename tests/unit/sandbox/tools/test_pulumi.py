from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

import pytest

from sandbox.tools import cache, pulumi
from sandbox.tools.child import ToolUnavailableError
from sandbox.tools.pulumi import pulumi_cli
from sandbox.tools.table import Tool

Command = Callable[[Path, str], Path]


@pytest.fixture
def command() -> Command:
    """Writes a command that prints a version."""

    def write(folder: Path, version: str) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / "pulumi"
        path.write_text(f"#!/bin/sh\necho {version}\n", encoding="utf-8")
        path.chmod(0o755)
        return path

    return write


@pytest.fixture(autouse=True)
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without a CLI, on which the installer and every build fail, unless a test replaces them."""

    def folder() -> Path:
        (tmp_path / "tools").mkdir(exist_ok=True)
        return tmp_path / "tools"

    def no_installer(out: TextIO) -> str:
        return "the official installer ended with code 1 after 0 s\n      | connection refused"

    def no_build(tool: Tool, out: TextIO) -> str:
        return f"building {tool.module}: downloading modules ended with code 1 after 0 s"

    for module in ("sandbox.tools.cache", "sandbox.tools.build", "sandbox.tools.pulumi"):
        monkeypatch.setattr(f"{module}.tools_folder", folder)
    monkeypatch.setattr(pulumi, "install", no_installer)
    monkeypatch.setattr(pulumi, "build", no_build)
    monkeypatch.setenv("PATH", f"{tmp_path / 'path'}:/usr/bin:/bin")


def test_a_cli_on_path_that_is_new_enough_is_used(command: Command, tmp_path: Path) -> None:
    path = command(tmp_path / "path", "v3.260.0")
    cli = pulumi_cli(io.StringIO())
    assert (cli.command, cli.version, cli.language_host) == (path, "3.260.0", False)


def test_the_language_host_beside_the_cli_is_found(command: Command, tmp_path: Path) -> None:
    path = command(tmp_path / "path", "v3.260.0")
    (path.parent / "pulumi-language-python").touch()
    assert pulumi_cli(io.StringIO()).language_host


def test_an_older_cli_on_path_gives_way_to_the_cache(command: Command, tmp_path: Path) -> None:
    command(tmp_path / "path", "v3.200.0")
    kept = command(tmp_path / "tools" / "pulumi-v3.259.0" / "bin", "v3.259.0")
    assert pulumi_cli(io.StringIO()).command == kept


def test_the_installer_comes_before_the_build(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetched = command(tmp_path / "fetched", "v3.272.0")

    def installs(out: TextIO) -> Path:
        return fetched

    monkeypatch.setattr(pulumi, "install", installs)
    assert pulumi_cli(io.StringIO()).command == fetched


def test_the_build_is_tried_when_the_installer_fails(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = command(tmp_path / "made", "v3.259.0")

    def builds(tool: Tool, out: TextIO) -> Path:
        return made

    monkeypatch.setattr(pulumi, "build", builds)
    assert pulumi_cli(io.StringIO()).command == made


def test_where_nothing_helps_one_report_says_what_was_tried_and_how_to_supply_it() -> None:
    with pytest.raises(ToolUnavailableError) as raised:
        pulumi_cli(io.StringIO())
    report = str(raised.value)
    for text in (
        "official installer",
        "connection refused",
        "downloading modules",
        "3.259.0 or newer on PATH",
        "GOPROXY",
    ):
        assert text in report


def test_a_finished_tool_takes_its_place_in_one_step_and_the_workshop_is_gone(tmp_path: Path) -> None:
    with cache.workshop("saw") as folder:
        (folder / "finished" / "bin").mkdir(parents=True)
        (folder / "modules").mkdir(mode=0o500)
        published = cache.publish(folder / "finished", "saw-v1")
    assert (published / "bin").is_dir()
    assert [path.name for path in (tmp_path / "tools").iterdir()] == ["saw-v1"]
