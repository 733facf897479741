"""What every tier shares: the time of each tier at the end of a run."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest
from hypothesis import settings

# A busy machine is not a fault of the code: no property test has a deadline.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")


def _tier(nodeid: str) -> str:
    parts = Path(nodeid).parts
    return parts[1] if len(parts) > 2 else "tests"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print how many tests each tier ran and how long they took together, set-up included."""
    seconds: dict[str, float] = defaultdict(float)
    ran: dict[str, set[str]] = defaultdict(set)
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                seconds[_tier(report.nodeid)] += report.duration
                ran[_tier(report.nodeid)].add(report.nodeid)
    terminalreporter.section("time of each tier")
    for tier in sorted(seconds):
        terminalreporter.write_line(f"{tier:12} {len(ran[tier]):5} tests {seconds[tier]:8.1f} s")
