"""The placement tier: a real control plane whose controllers run, shared by every test of the tier.

A module of the tier marks itself ``placement``, and ``xdist_group("placement")`` so that one worker runs it.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sandbox.control_plane.commands import full_commands_at_hand
from sandbox.control_plane.control_plane import ControlPlane
from sandbox.control_plane.controllers import FullCommands, full_control_plane
from tests.tiers import at_hand


@pytest.fixture(scope="session")
def full_commands() -> FullCommands:
    """What is on the machine; a test builds nothing. Without it the tier is skipped, or fails where it is required."""
    return at_hand("placement", full_commands_at_hand())


@pytest.fixture(scope="session")
def control(full_commands: FullCommands, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """A control plane in which pods run, without Karpenter."""
    with full_control_plane(tmp_path_factory.mktemp("control"), full_commands) as running:
        yield running
