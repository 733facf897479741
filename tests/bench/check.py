"""``gpuplatform check`` of prod in a fresh process, and whether it loads Pulumi."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from tests.bench.child import timed
from tests.bench.table import RUNS, middle, show

TARGET_SECONDS = 1.0
_LOADED = """
import atexit, sys
from cli.main import main
atexit.register(lambda: print("pulumi:", any(name.split(".")[0] == "pulumi" for name in sys.modules)))
sys.argv = ["gpuplatform", "check", "--stack", "prod"]
main()
"""


def check(variables: Mapping[str, str]) -> None:
    """After one warm-up; the console script beside this interpreter."""
    command = [str(Path(sys.executable).parent / "gpuplatform"), "check", "--stack", "prod"]
    timed(command, variables)
    runs = [timed(command, variables) for _ in range(RUNS)]
    loaded = timed([sys.executable, "-c", _LOADED], variables).stdout.splitlines()[-1]
    show(
        f"gpuplatform check --stack prod in a fresh process, median of {RUNS}",
        ["", "figure", "target"],
        [
            ["wall s", f"{middle([each.seconds for each in runs]):.2f}", f"< {TARGET_SECONDS:.0f}"],
            ["CPU s", f"{middle([each.cpu_seconds for each in runs]):.2f}", ""],
            ["imports pulumi", "yes" if loaded == "pulumi: True" else "no", "no"],
        ],
    )
