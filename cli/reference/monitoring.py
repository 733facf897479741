"""What is measured, and how many series that stores, on one page."""

from __future__ import annotations

from cli.reference.markdown import code, generated, table
from cli.stacks import stack_file
from gpuplatform.accept import check_file
from gpuplatform.catalog.dcgm_counters import counters
from gpuplatform.plan.node_pools import plan
from gpuplatform.render.monitoring.boards import BOARDS
from gpuplatform.render.monitoring.scraping import kept
from gpuplatform.render.monitoring.stack import read_of_karpenter, read_of_kueue

_SERIES = """
## Series kept

At most, of the card exporter and of Karpenter, for the NodePools of the prod stack. A node counts with the cards of
its NodePool's largest type; each slice is measured by itself. XIDs come on top, one series for each code that a card
reported within five minutes. kube-state-metrics, the kubelet and the node exporter are scraped as their chart has it.

"""
_BOARDS = """
## Boards

![The board of the fleet: cards paid for, cards in use, time at work, pods that wait](../images/gpu-fleet.svg)

The first board, drawn by this repository's tests and not by Grafana: a real Prometheus answered its queries over six
hours of made-up samples (`tests/metrics/day.py`), with the dev stack's recording rules.

"""
_KARPENTER = """
## Series kept of Karpenter and Kueue

Rules and boards read these series; every other series is dropped at the scrape. Kueue is scraped only if a
namespace is queued.

"""
_CARDS = """
## Measured on each card

The exporter's default set, and the counters that the alerts need in addition.

"""


def page() -> str:
    """The page ``monitoring.md``."""
    settings = check_file(stack_file("prod")).settings
    assert settings is not None, "the prod stack is accepted"
    karpenter_series = read_of_karpenter(settings)
    series_counts = [kept(node_pool, karpenter_series) for node_pool in plan(settings.pools, settings.network.zones)]
    series = (
        (code(series_count.nodepool), str(series_count.per_nodepool), str(series_count.per_node))
        for series_count in series_counts
    )
    panels = ((board.title, panel.title, panel.description) for board in BOARDS for panel in board.panels)
    counter_rows = (
        (code(counter.field), counter.help, "own" if counter.in_default_set else "added") for counter in counters()
    )
    return "".join(
        (
            generated("Monitoring", "gpuplatform/render/monitoring"),
            _SERIES,
            table(("NodePool", "of the NodePool", "of each node"), series),
            _BOARDS,
            table(("board", "panel", "what it shows"), panels),
            _KARPENTER,
            table(
                ("series",),
                ((code(series_name),) for series_name in sorted({*karpenter_series, *read_of_kueue(settings)})),
            ),
            _CARDS,
            table(("counter", "what it is", "set"), counter_rows),
        )
    )
