"""A real Prometheus with a configuration that the test writes, and its answers to queries."""

from __future__ import annotations

import json
import time
import urllib.parse
import urllib.request
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

from gpuplatform.render.monitoring.panels import Board, Panel
from sandbox.control_plane.part import LOOPBACK, free_ports, running
from sandbox.tools.acquire import at_hand
from sandbox.tools.table import PROMETHEUS
from tests import tiers

LIMIT_SECONDS = 180
DATA = "data"
"""Prometheus' folder of samples; it keeps samples of any age."""


@contextmanager
def prometheus(folder: Path, config: Mapping[str, object]) -> Generator[str]:
    """Start Prometheus and give its address."""
    command = tiers.at_hand("metrics", at_hand(PROMETHEUS)).command
    (folder / "prometheus.yml").write_text(yaml.safe_dump(dict(config)), encoding="utf-8")
    address = f"{LOOPBACK}:{free_ports(1)[0]}"
    flags = [
        f"--config.file={folder / 'prometheus.yml'}",
        f"--storage.tsdb.path={folder / DATA}",
        "--storage.tsdb.retention.time=100y",
        f"--web.listen-address={address}",
    ]
    with running("prometheus", [command, *flags], folder):
        yield f"http://{address}"


def answer(server: str, query: str, **over: float) -> list[dict[str, Any]]:
    """The result of a query, now or ``over`` a time (start, end, step in seconds); empty until Prometheus listens."""
    kind = "query_range" if over else "query"
    url = f"{server}/api/v1/{kind}?{urllib.parse.urlencode({'query': query, **over})}"
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(url, timeout=10) as response:
            return json.load(response)["data"]["result"]
    except OSError:
        return []


def awaited(server: str, query: str, **over: float) -> list[dict[str, Any]]:
    """The result of a query, as soon as it is not empty."""
    begun = time.monotonic()
    while not (result := answer(server, query, **over)):
        assert time.monotonic() - begun < LIMIT_SECONDS, f"nothing answers {query}"
        time.sleep(0.2)
    return result


def of_all(board: Board, panel: Panel) -> str:
    """A panel's query when every variable of its board is set to All."""
    query = panel.expr
    for variable in board.variables:
        query = query.replace(f"${variable.name}", ".*")
    return query
