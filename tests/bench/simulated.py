"""``gpuplatform simulate`` as a user runs it: the time for one workload, and the memory for 250 pods."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import cast

import psutil

from gpuplatform.plan.prices import Prices
from gpuplatform.render.document import Document, as_yaml, name_of
from sandbox import places
from sandbox.cluster import cluster_commands_at_hand
from tests.bench.child import timed
from tests.bench.placement import workload
from tests.bench.placement.offers import meant, of_stack
from tests.bench.placement.pods import in_our_words
from tests.bench.placement.solver import chosen
from tests.bench.table import RUNS, middle, show
from tests.builders import stack_settings

_ONE = places.PROJECT / "examples" / "workloads" / "inference-whole-card.yaml"
_DAY = places.PROJECT / "examples" / "reference-day.csv"
_PODS = 250
_MORE = "chat-medium"
"""The row of the day that is repeated in a namespace without a quota, to reach the number of pods."""
_TARGET_SECONDS = 15
_TARGET_MIB = 2048
_SAMPLE_SECONDS = 0.5
_MIB = 1 << 20


def simulated(folder: Path, variables: Mapping[str, str]) -> None:
    """Measure both; print one line instead where the sandbox's tools are not built."""
    if cluster_commands_at_hand() is None:
        print("\ngpuplatform simulate is left out: the sandbox's tools are not built. Change: make tools")
        return
    command = [str(Path(sys.executable).parent / "gpuplatform"), "simulate"]
    runs = [timed([*command, str(_ONE), "--stack", "dev"], variables) for _ in range(RUNS)]
    show(
        f"gpuplatform simulate of one workload, each on a new control plane, median of {RUNS}",
        ["", "figure", "target"],
        [
            ["wall s", f"{middle([run.seconds for run in runs]):.1f}", f"< {_TARGET_SECONDS}"],
            ["CPU s", f"{middle([run.cpu_seconds for run in runs]):.1f}", ""],
        ],
    )
    asked = [*command, str(_many(folder)), "--stack", "prod", "--format", "json"]
    pods, peak = _most_memory(asked, folder / "many.json", variables)
    show(
        f"Peak memory of gpuplatform simulate with {pods} running pods, all processes together, one run",
        ["", "figure", "target"],
        [["MiB at most", f"{peak / _MIB:.0f}", f"< {_TARGET_MIB}"]],
        ["memory that processes share is counted once (PSS)"],
    )


def _many(folder: Path) -> Path:
    """The reference day with more pods, as manifests."""
    settings = stack_settings("prod")
    rows = workload.read(_DAY)
    plan = chosen(rows, of_stack(settings, Prices(settings.region, settings.cost)), meant)
    day = in_our_words(plan, settings)
    again = next(document for document in day if name_of(document).startswith(_MORE))
    spec = cast(Document, again["spec"]) | {"replicas": _PODS - sum(row.pods for row in rows)}
    more = again | {"metadata": {"name": _MORE, "namespace": "default"}, "spec": spec}
    file = folder / "many.yaml"
    file.write_text("\n---\n".join(as_yaml(document) for document in (*day, more)), encoding="utf-8")
    return file


def _most_memory(command: list[str], answer: Path, variables: Mapping[str, str]) -> tuple[int, int]:
    """The number of pods that run at the end, and the peak memory of the command and its descendants in bytes."""
    with (
        answer.open("wb") as into,
        subprocess.Popen(
            command, stdout=into, stderr=subprocess.DEVNULL, cwd=places.PROJECT, env=dict(variables)
        ) as running,
    ):
        command_process, most = psutil.Process(running.pid), 0
        while running.poll() is None:
            most = max(most, sum(_proportional(process) for process in (command_process, *_children(command_process))))
            time.sleep(_SAMPLE_SECONDS)
    result = json.loads(answer.read_bytes())
    return sum(placement["pods"] for placement in result["placements"]), most


def _children(of: psutil.Process) -> list[psutil.Process]:
    try:
        return of.children(recursive=True)
    except psutil.NoSuchProcess:
        return []


def _proportional(process: psutil.Process) -> int:
    try:
        return process.memory_full_info().pss
    except psutil.Error:  # the process has ended meanwhile
        return 0
