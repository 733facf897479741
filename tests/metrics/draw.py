"""``python -m tests.metrics.draw``: the board of the fleet, drawn from the stand-in's six hours, into the docs.

Samples become Prometheus' own blocks, the recording rules of dev are computed over them by promtool, and the board's
queries are asked of a real Prometheus.
"""

from __future__ import annotations

import datetime
import re
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

import yaml

from gpuplatform.render.monitoring.boards import BOARDS
from gpuplatform.render.monitoring.panels import Board, Panel
from gpuplatform.render.monitoring.stack import rules
from sandbox.tools.acquire import at_hand
from sandbox.tools.table import PROMTOOL
from tests import tiers
from tests.builders import ROOT, stack_settings
from tests.metrics.day import BEGIN, MINUTES, samples
from tests.metrics.picture import Line, drawn
from tests.metrics.server import DATA, awaited, of_all, prometheus

PICTURE = ROOT / "docs" / "images" / "gpu-fleet.svg"
_BOARD = next(board for board in BOARDS if board.uid == "gpu-fleet")
_END = BEGIN + datetime.timedelta(minutes=MINUTES)
_STEP_SECONDS = 120


def picture(folder: Path) -> str:
    """The picture as it would be drawn now; ``folder`` is empty."""
    stored_samples, recorded = folder / "samples.txt", folder / "rules.yaml"
    stored_samples.write_text(samples(), encoding="utf-8")
    recorded.write_text(yaml.safe_dump(rules(stack_settings("dev"))["spec"]), encoding="utf-8")
    data = folder / DATA
    _promtool("openmetrics", stored_samples, data)
    with prometheus(folder, {}) as server:
        awaited(server, "up or vector(1)")
        # Rules are computed over what is stored, and what they made is read at the next start.
        over = [f"--{name}={at.isoformat()}" for name, at in (("start", BEGIN), ("end", _END))]
        _promtool("rules", *over, f"--url={server}", f"--output-dir={data}", "--eval-interval=1m", recorded)
    with prometheus(folder, {}) as server:
        lines = {panel.title: _lines(server, _BOARD, panel) for panel in _BOARD.panels}
    return drawn(_BOARD, lines, BEGIN, _END)


def _lines(server: str, board: Board, panel: Panel) -> list[Line]:
    """A panel's series that are not always zero, sorted by their legend."""
    over = {"start": BEGIN.timestamp(), "end": _END.timestamp(), "step": _STEP_SECONDS}
    lines: list[Line] = []
    for series in awaited(server, of_all(board, panel), **over):
        points = [(float(at), float(value)) for at, value in series["values"]]
        if any(value for _, value in points):
            lines.append(Line(_legend(panel, series["metric"]), points))
    return sorted(lines, key=lambda line: line.legend)


def _legend(panel: Panel, labels: Mapping[str, str]) -> str:
    return re.sub(r"\{\{(\w+)\}\}", lambda name: labels.get(name[1], ""), panel.legend)


def _promtool(kind: str, *arguments: str | Path) -> None:
    promtool = tiers.at_hand("metrics", at_hand(PROMTOOL)).command
    ended = subprocess.run(
        [promtool, "tsdb", "create-blocks-from", kind, *arguments], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        PICTURE.parent.mkdir(exist_ok=True)
        PICTURE.write_text(picture(Path(made)), encoding="utf-8")
