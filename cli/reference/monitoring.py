"""What is measured, and how many series that keeps, on one page."""

from __future__ import annotations

from cli.reference.markdown import code, generated, table
from cli.stacks import stack_file
from gpuplatform.accept import check_file
from gpuplatform.catalog.dcgm_counters import counters
from gpuplatform.render.monitoring.boards import BOARDS
from gpuplatform.render.monitoring.kept import kept
from gpuplatform.render.monitoring.stack import read_of_karpenter, read_of_kueue
from gpuplatform.settings.plan import plan

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
## Kept of Karpenter and Kueue

What rules and boards read; everything else that they export is dropped at the scrape. Kueue is scraped where a
namespace is queued.

"""
_CARDS = """
## Measured on each card

The exporter's own set, and what the alerts need beside it.

"""


def page() -> str:
    """The page ``monitoring.md``."""
    settings = check_file(stack_file("prod")).settings
    assert settings is not None, "the prod stack is accepted"
    read = read_of_karpenter(settings)
    counted = [kept(each, read) for each in plan(settings.pools, settings.network.zones)]
    series = ((code(each.nodepool), str(each.per_nodepool), str(each.per_node)) for each in counted)
    panels = ((board.title, panel.title, panel.description) for board in BOARDS for panel in board.panels)
    measured = ((code(each.field), each.help, "own" if each.in_default_set else "added") for each in counters())
    return "".join(
        (
            generated("Monitoring", "gpuplatform/render/monitoring"),
            _SERIES,
            table(("NodePool", "of the NodePool", "of each node"), series),
            _BOARDS,
            table(("board", "panel", "what it shows"), panels),
            _KARPENTER,
            table(("series",), ((code(each),) for each in sorted({*read, *read_of_kueue(settings)}))),
            _CARDS,
            table(("counter", "what it is", "set"), measured),
        )
    )
