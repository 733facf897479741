"""The cluster tier: a real API server with Karpenter's definitions, shared by every test of the tier.

A module of the tier marks itself ``cluster``, and ``xdist_group("cluster")`` so that one worker runs it: an API server
is started once for each worker that needs it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox.control_plane.control_plane import ControlPlane, control_plane
from sandbox.control_plane.controllers import Commands, commands_at_hand
from sandbox.control_plane.crds import install_crds
from sandbox.tools.module_files import CHART_CRDS, KARPENTER_CRDS, files_at_hand
from tests.builders import stack_settings
from tests.cluster.admission import guarding
from tests.tiers import at_hand


@pytest.fixture(scope="session")
def commands() -> Commands:
    """The machine's commands; a test builds none. Without them the tier is skipped, or fails where it is required."""
    return at_hand("cluster", commands_at_hand())


@pytest.fixture(scope="session")
def karpenter_crds() -> Path:
    """The folder of Karpenter's definitions."""
    return at_hand("cluster", files_at_hand(KARPENTER_CRDS))


@pytest.fixture(scope="session")
def cluster(
    commands: Commands, karpenter_crds: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ControlPlane]:
    """An API server that knows Karpenter's kinds, and those of the monitoring charts.

    No controller runs: a namespace cannot be deleted here.
    """
    with control_plane(tmp_path_factory.mktemp("cluster"), commands) as running:
        install_crds(running.api, karpenter_crds)
        for module_files in CHART_CRDS:
            install_crds(running.api, at_hand("cluster", files_at_hand(module_files)))
        yield running


@pytest.fixture(scope="session")
def guarded(
    commands: Commands, karpenter_crds: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ControlPlane]:
    """An API server of the dev stack on which every admission policy denies."""
    with guarding(stack_settings("dev"), tmp_path_factory.mktemp("guarded"), commands, karpenter_crds) as running:
        yield running
