"""The series that exist: what exporters make by their own sources, and what our rules record."""

from __future__ import annotations

from collections.abc import Iterator

import promql_parser

from gpuplatform.catalog.dcgm_counters import counters
from gpuplatform.render.monitoring.stack import recorded
from gpuplatform.settings.settings import Settings
from tests.metrics.extract import LISTS


def known_series(settings: Settings) -> frozenset[str]:
    """Every series that a rule or board of the stack may ask for."""
    listed = {
        line
        for path in LISTS.glob("*.txt")
        for line in path.read_text(encoding="utf-8").splitlines()
        if not line.startswith("#")
    }
    measured = {counter.field for counter in counters()}
    return frozenset(listed | measured | {recording.record for recording in recorded(settings)})


def asked(expr: str) -> frozenset[str]:
    """The series that an expression reads, by the real parser; ValueError if the text is not PromQL."""
    return frozenset(_names(promql_parser.parse(expr)))


def _names(node: object) -> Iterator[str]:
    if isinstance(node, promql_parser.VectorSelector):
        assert node.name is not None, "every selector names its series"
        yield node.name
        return
    for part in ("lhs", "rhs", "expr", "vector_selector", "param"):
        below: object = getattr(node, part, None)
        if below is not None:
            yield from _names(below)
    for argument in getattr(node, "args", ()):
        yield from _names(argument)
