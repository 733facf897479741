"""The cluster tier: a real API server with Karpenter's definitions, shared by every test of the tier.

A module of the tier marks itself ``cluster``, and ``xdist_group("cluster")`` so that one worker runs it: an API server
is started once for each worker that needs it.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from sandbox.control_plane.commands import Commands, commands_at_hand
from sandbox.control_plane.control_plane import ControlPlane, control_plane
from sandbox.control_plane.crds import install_crds
from sandbox.tools.module_files import KARPENTER_CRDS, files_at_hand

REQUIRED = "GPU_PLATFORM_REQUIRE_CLUSTER"
"""Set where a skipped cluster tier would hide something: continuous integration."""
NOT_THERE = "tools are not there: make tools"
_HERE = Path(__file__).parent


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """One place for every skip of the tier, so that the summary says it in one line."""
    report = yield
    if report.skipped and isinstance(report.longrepr, tuple) and report.longrepr[2].endswith(NOT_THERE):
        report.longrepr = (str(_HERE), 0, report.longrepr[2])
    return report


@pytest.fixture(scope="session")
def commands() -> Commands:
    """What is on the machine; a test builds nothing. Without it the tier is skipped, or fails where it is required."""
    found = commands_at_hand()
    if found is not None and files_at_hand(KARPENTER_CRDS) is not None:
        return found
    if os.environ.get(REQUIRED):
        pytest.fail(f"the cluster tier is required here, and {NOT_THERE}")
    pytest.skip(NOT_THERE)


@pytest.fixture(scope="session")
def karpenter_crds(commands: Commands) -> Path:
    """The folder of Karpenter's definitions."""
    folder = files_at_hand(KARPENTER_CRDS)
    assert folder is not None, "the tier is skipped without them"
    return folder


@pytest.fixture(scope="session")
def cluster(
    commands: Commands, karpenter_crds: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ControlPlane]:
    """An API server that knows Karpenter's kinds. No controller runs: a namespace cannot be deleted here."""
    with control_plane(tmp_path_factory.mktemp("cluster"), commands) as running:
        install_crds(running.kubectl, karpenter_crds)
        yield running
