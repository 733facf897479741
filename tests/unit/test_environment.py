"""The one environment: what the official language host and the policy pack expect of it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import yaml

PROJECT = Path(__file__).parents[2]


def test_the_language_hosts_own_command_lists_the_packages() -> None:
    # `pulumi` runs this in .venv before every program; an environment made by uv has no pip of its own.
    command = [sys.executable, "-m", "pip", "list", "--format", "json", "--disable-pip-version-check"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True)
    assert {"pulumi", "pulumi-policy", "gpu-platform"} <= {
        load["name"].replace("_", "-") for load in json.loads(listed.stdout)
    }


def test_program_and_pack_name_the_same_environment() -> None:
    program, pack = (
        yaml.safe_load((PROJECT / name).read_text(encoding="utf-8"))["runtime"]["options"]
        for name in ("Pulumi.yaml", "policies/PulumiPolicy.yaml")
    )
    assert program["toolchain"] == pack["toolchain"] == "pip"
    assert (PROJECT / program["virtualenv"]).resolve() == (PROJECT / "policies" / pack["virtualenv"]).resolve()


def test_the_lock_holds_hashes_and_no_address() -> None:
    lock = (PROJECT / "requirements.txt").read_text(encoding="utf-8")
    assert "--hash=sha256:" in lock
    assert "://" not in lock
    assert "--index" not in lock
    assert not (PROJECT / "uv.lock").exists()
