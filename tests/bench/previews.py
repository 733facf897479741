"""A preview of dev with the policy pack compared with the floor, and the memory of its program."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sandbox import places
from tests.bench.child import Preview, preview
from tests.bench.table import RUNS, middle, show

RATIO_TARGET = 1.5
RSS_TARGET_MIB = 300
_DEV = places.PROJECT / "Pulumi.dev.yaml"


def previews(folder: Path, variables: Mapping[str, str]) -> None:
    """Measure the platform and the floor in turn, after one warm-up each."""

    def platform() -> Preview:
        return preview(folder / "platform" / "dev", _DEV, variables)

    def floor() -> Preview:
        return preview(folder / "floor" / "dev", _DEV, variables, floor_of=resources)

    resources = platform().resources
    floor()
    pairs = [(platform(), floor()) for _ in range(RUNS)]
    ours, plain = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    _ratio(ours, plain)
    _memory(ours, plain)


def _ratio(ours: list[Preview], plain: list[Preview]) -> None:
    wall = [middle([run.seconds for run in side]) for side in (ours, plain)]
    cpu = [middle([run.cpu_seconds for run in side]) for side in (ours, plain)]
    show(
        f"Preview of dev with the pack against the floor, medians of {RUNS}, runs interleaved",
        ["", "resources", "wall s", "CPU s"],
        [
            ["the platform with its pack", str(ours[0].resources), f"{wall[0]:.2f}", f"{cpu[0]:.2f}"],
            ["plain resources, an empty pack", str(plain[0].resources), f"{wall[1]:.2f}", f"{cpu[1]:.2f}"],
            ["ratio", "", f"{wall[0] / wall[1]:.2f}", f"{cpu[0] / cpu[1]:.2f}"],
        ],
        [f"target: ratio of wall time {RATIO_TARGET} or less; a busy machine changes CPU time least"],
    )


def _memory(ours: list[Preview], plain: list[Preview]) -> None:
    show(
        f"Peak memory of the program's process during that preview, medians of {RUNS}",
        ["", "MiB", "target"],
        [
            ["the platform", f"{middle([our.rss_mib for our in ours]):.0f}", f"< {RSS_TARGET_MIB}"],
            ["plain resources", f"{middle([run.rss_mib for run in plain]):.0f}", ""],
        ],
    )
