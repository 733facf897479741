from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from pulumi import automation

from sandbox.engine.environment import Workspace
from sandbox.tools.pulumi import PulumiCli


def workspace(tmp_path: Path, language_host: bool) -> Workspace:
    cli = PulumiCli(tmp_path / "cli" / "bin" / "pulumi", "3.259.0", language_host, "a test")
    return Workspace("dev", tmp_path / "state", cli)


@pytest.mark.parametrize("language_host", [True, False])
def test_the_packs_starter_is_there_only_where_no_language_host_is(tmp_path: Path, language_host: bool) -> None:
    (tmp_path / "state" / "bin").mkdir(parents=True)
    shim = tmp_path / "state" / "bin" / "pulumi-analyzer-policy-python"
    shim.touch()
    workspace(tmp_path, language_host).prepare()
    assert shim.exists() is not language_host


@pytest.mark.parametrize("package", ["aws", "kubernetes", "eks"])
def test_every_stand_in_can_be_started(tmp_path: Path, package: str) -> None:
    made = workspace(tmp_path, language_host=False)
    made.prepare()
    path = made.executables / f"pulumi-resource-{package}"
    assert os.access(path, os.X_OK)
    assert subprocess.run(["sh", "-n", str(path)], check=False).returncode == 0


def test_the_engine_writes_to_the_stacks_state_and_nowhere_else(tmp_path: Path) -> None:
    made = workspace(tmp_path, language_host=False)
    variables = made.variables()
    assert variables["PATH"].split(os.pathsep)[:2] == [str(made.executables), str(tmp_path / "cli" / "bin")]
    assert variables["PULUMI_HOME"].startswith(str(made.state))
    assert variables["PULUMI_BACKEND_URL"].startswith(f"file://{made.state}")


@pytest.mark.parametrize("folder", ["cli/bin", "pulumi", "."])
def test_the_engine_is_found_in_whatever_folder_it_is(tmp_path: Path, folder: str) -> None:
    command = tmp_path / folder / "pulumi"
    command.parent.mkdir(parents=True, exist_ok=True)
    command.write_text("#!/bin/sh\necho v3.260.0\n", encoding="utf-8")
    command.chmod(0o755)
    made = Workspace("dev", tmp_path / "state", PulumiCli(command, "3.260.0", False, "a test"))
    for _ in range(2):  # a state folder is used again
        made.prepare()
        started = automation.PulumiCommand(root=str(made.root), skip_version_check=True)
        assert Path(started.command).resolve() == command
        assert str(started.version) == "3.260.0"
