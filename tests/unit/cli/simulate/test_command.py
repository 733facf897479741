"""The faults that ``gpuplatform simulate`` reports before it starts."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import NoReturn

import pytest
import yaml
from click.testing import CliRunner, Result

from cli.simulate import command
from sandbox import places as space
from sandbox.errors import SandboxError
from sandbox.simulate import run
from tests.builders import ROOT

SMOKE = ROOT / "examples" / "workloads" / "smoke-test.yaml"


def ask(*words: str | Path) -> Result:
    result = CliRunner().invoke(command.simulate, [str(word) for word in words])
    assert "Traceback" not in result.output
    return result


def test_without_its_tools_it_says_how_to_get_them(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    result = ask(SMOKE, "--stack", "dev")
    assert result.exit_code == 1
    assert result.stderr.count("error:") == 1
    assert "Change: make tools" in result.stderr


def test_a_stack_that_fails_its_checks_is_reported_as_check_does(tmp_path: Path) -> None:
    broken = tmp_path / "Pulumi.dev.yaml"
    dev = (ROOT / "Pulumi.dev.yaml").read_text(encoding="utf-8")
    broken.write_text(dev.replace("region: us-east-1", "region: mars-1"), encoding="utf-8")
    result = ask(SMOKE, "--settings", broken)
    assert result.exit_code == 1
    assert "mars-1" in result.stderr
    assert "control plane" not in result.stderr


def test_paths_that_are_not_there_are_named_at_once() -> None:
    result = ask("a.yaml", "b.yaml", "--stack", "dev")
    assert result.exit_code == 2
    assert "a.yaml, b.yaml" in result.stderr


def test_what_is_no_object_or_has_no_name_is_said_of_every_file_at_once(tmp_path: Path) -> None:
    tune = {"apiVersion": "ray.io/v1", "kind": "RayJob", "metadata": {"generateName": "tune-", "namespace": "ml"}}
    bare = {"apiVersion": "batch/v1", "kind": "Job", "metadata": "x"}
    lost = {"apiVersion": "apps/v1", "knid": "Deployment", "metadata": {"name": "lost"}}
    good = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}}
    (tmp_path / "nameless.yaml").write_text(yaml.safe_dump_all([tune, bare, good]), encoding="utf-8")
    (tmp_path / "kindless.yaml").write_text(yaml.safe_dump_all([lost, "just a text", good]), encoding="utf-8")
    result = ask(tmp_path, "--stack", "dev")
    assert result.exit_code == 1
    errors = [line.removeprefix(f"error: {tmp_path}/") for line in result.stderr.splitlines()]
    assert errors == [
        "kindless.yaml: document 1: given no kind, but apiVersion, knid, metadata; allowed: an object with"
        " apiVersion and kind. Change: write the key that is missing or misspelt, or remove this part from the file",
        "kindless.yaml: document 2: given 'just a text'; allowed: an object with apiVersion and kind."
        " Change: write the key that is missing or misspelt, or remove this part from the file",
        "nameless.yaml: RayJob in ml: metadata.name: given generateName 'tune-' alone; allowed: a text that is not"
        " empty. Change: give it a name",
        "nameless.yaml: Job: metadata.name: given nothing; allowed: a text that is not empty. Change: give it a name",
    ]


def test_a_full_disk_is_said_before_anything_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage(ROOT)

    def full(_path: object) -> object:
        return usage.__class__(usage.total, usage.total, 5 << 20)

    def started(*_: object, **__: object) -> NoReturn:
        pytest.fail("it started")

    monkeypatch.setattr(space.shutil, "disk_usage", full)
    monkeypatch.setattr(run, "cluster", started)
    monkeypatch.setattr(command, "_commands", lambda: None)
    result = ask(SMOKE, "--stack", "dev")
    assert result.exit_code == 1
    assert "has 5 MiB of free space" in result.stderr


def test_what_does_not_run_is_one_message(monkeypatch: pytest.MonkeyPatch) -> None:
    def dies(*_: object) -> NoReturn:
        raise SandboxError("etcd ended with code 2; its log says")

    monkeypatch.setattr(command, "_commands", lambda: None)
    monkeypatch.setattr(command, "run_simulation", dies)
    result = ask(SMOKE, "--stack", "dev")
    assert result.exit_code == 1
    assert result.stderr == "error: etcd ended with code 2; its log says\n"
