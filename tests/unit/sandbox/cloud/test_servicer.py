"""A provider's process: the engine starts and ends it."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sandbox.cloud.store import StackFiles
from tests.examples import sampled


@pytest.mark.parametrize("package", sampled(["kubernetes", "aws", "eks"]))
def test_a_provider_that_the_engine_ends_says_no_word_about_it(package: str, tmp_path: Path) -> None:
    place = StackFiles(tmp_path / "world.db", tmp_path / "Pulumi.any.yaml", None)
    process = subprocess.Popen(
        [sys.executable, "-m", "sandbox.cloud", package, "1.0.0", *place.arguments(), "127.0.0.1:1"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    port = process.stdout.readline()
    process.send_signal(signal.SIGINT)
    _, complaint = process.communicate(timeout=60)
    assert port.strip().isdigit(), complaint
    assert complaint == ""
    assert process.returncode == 0
