"""The time of ``gpuplatform check`` in a fresh process, for prod and for two hundred teams, and its imports."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import yaml

from gpuplatform.settings.source import SETTINGS_KEY
from tests.bench.child import timed
from tests.bench.sizes import SIZES, with_tenants
from tests.bench.table import RUNS, middle, show

TARGET_SECONDS = 1.0
TENANTS_TARGET_SECONDS = 2.0
_LOADED = """
import atexit, sys
from cli.main import main
atexit.register(lambda: print("pulumi:", any(name.split(".")[0] == "pulumi" for name in sys.modules)))
sys.argv = ["gpuplatform", "check", "--stack", "prod"]
main()
"""


_COMMAND = (str(Path(sys.executable).parent / "gpuplatform"), "check")


def check(variables: Mapping[str, str]) -> None:
    """Measure ``check --stack prod`` after one warm-up, by the console script beside this interpreter."""
    command = [*_COMMAND, "--stack", "prod"]
    timed(command, variables)
    runs = [timed(command, variables) for _ in range(RUNS)]
    loaded = timed([sys.executable, "-c", _LOADED], variables).stdout.splitlines()[-1]
    show(
        f"gpuplatform check --stack prod in a fresh process, median of {RUNS}",
        ["", "figure", "target"],
        [
            ["wall s", f"{middle([run.seconds for run in runs]):.2f}", f"< {TARGET_SECONDS:.0f}"],
            ["CPU s", f"{middle([run.cpu_seconds for run in runs]):.2f}", ""],
            ["imports pulumi", "yes" if loaded == "pulumi: True" else "no", "no"],
        ],
    )


def check_of_tenants(folder: Path, variables: Mapping[str, str]) -> None:
    """Measure ``check`` after one warm-up, for as many teams as the largest size has."""
    count = SIZES[-1]
    file = folder / "tenants.yaml"
    file.write_text(yaml.safe_dump({"config": {SETTINGS_KEY: with_tenants(count)}}), encoding="utf-8")
    command = [*_COMMAND, "--settings", str(file)]
    timed(command, variables)
    runs = [timed(command, variables) for _ in range(RUNS)]
    show(
        f"gpuplatform check of {count} tenants in a fresh process, median of {RUNS}",
        ["", "figure", "target"],
        [["wall s", f"{middle([run.seconds for run in runs]):.2f}", f"< {TENANTS_TARGET_SECONDS:.0f}"]],
    )
