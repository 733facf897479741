"""What every tier shares: one line for a tier that is skipped, and the time of each tier at the end of a run."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import cast

import pytest
from hypothesis import settings

from tests.examples import IS_QUICK, QUICK_EXAMPLES
from tests.figures import FIGURES, Figures
from tests.mutant_counts import MUTANTS, summary
from tests.tiers import NOT_THERE

# A busy machine is not a fault of the code: no property test has a deadline.
settings.register_profile("whole", deadline=None)
settings.register_profile("quick", deadline=None, max_examples=QUICK_EXAMPLES)
settings.load_profile("quick" if IS_QUICK else "whole")


@pytest.fixture
def figures(request: pytest.FixtureRequest) -> Figures:
    """Leaves a test's figures with its report, from which the summary takes them."""
    return lambda figure: request.node.user_properties.append((FIGURES, figure))


def _tier(nodeid: str) -> str:
    parts = Path(nodeid).parts
    return parts[1] if len(parts) > 2 else "tests"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Give all skips of a tier the same location, so that the summary has one line for them."""
    report = yield
    if report.skipped and isinstance(report.longrepr, tuple) and report.longrepr[2].endswith(NOT_THERE):
        report.longrepr = (str(Path(__file__).parent), 0, report.longrepr[2])
    return report


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
    _mutants(terminalreporter)
    _figures(terminalreporter)


def _figures(terminalreporter: pytest.TerminalReporter) -> None:
    """What tests found, tier by tier."""
    figures_found = {
        f"{_tier(report.nodeid):10} {value}": None
        for outcome in ("passed", "failed")
        for report in terminalreporter.stats.get(outcome, [])
        if isinstance(report, pytest.TestReport)
        for name, value in report.user_properties
        if name == FIGURES
    }
    if figures_found:
        terminalreporter.section("figures")
    for line in sorted(figures_found):
        terminalreporter.write_line(line)


def _mutants(terminalreporter: pytest.TerminalReporter) -> None:
    """One line with the counts of the mutants that this run judged, of all sources and workers."""
    counted: Counter[str] = Counter()
    for report in terminalreporter.stats.get("passed", []):
        if isinstance(report, pytest.TestReport):
            for name, value in report.user_properties:
                if name == MUTANTS:
                    counted.update(cast("Mapping[str, int]", value))
    if counted:
        terminalreporter.write_line(summary(counted))
