"""A real Prometheus on a configuration of the test's own, and what it answers."""

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
from sandbox.control_plane.part import running
from sandbox.control_plane.ports import LOOPBACK, free_ports
from sandbox.tools.acquire import at_hand
from sandbox.tools.table import PROMETHEUS
from tests import tiers

LIMIT_SECONDS = 180
DATA = "data"
"""Its folder of samples, which it keeps however old they are."""


@contextmanager
def prometheus(folder: Path, config: Mapping[str, object]) -> Generator[str]:
    """Its address."""
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
    """The result of a query, now or ``over`` a time: start, end and step in seconds; nothing while nobody listens."""
    kind = "query_range" if over else "query"
    url = f"{server}/api/v1/{kind}?{urllib.parse.urlencode({'query': query, **over})}"
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(url, timeout=10) as told:
            return json.load(told)["data"]["result"]
    except OSError:
        return []


def awaited(server: str, query: str, **over: float) -> list[dict[str, Any]]:
    """The same, once there is any."""
    begun = time.monotonic()
    while not (found := answer(server, query, **over)):
        assert time.monotonic() - begun < LIMIT_SECONDS, f"nothing answers {query}"
        time.sleep(0.2)
    return found


def of_all(board: Board, panel: Panel) -> str:
    """What a panel asks where every variable of its board says All."""
    query = panel.expr
    for each in board.variables:
        query = query.replace(f"${each.name}", ".*")
    return query
