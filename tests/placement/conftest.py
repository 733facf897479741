"""The placement tier: a real control plane whose controllers run, shared by every test of the tier.

A module of the tier marks itself ``placement``, and ``xdist_group("placement")`` so that one worker runs it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TypeAlias

import pytest

from gpuplatform.accept import check_file
from gpuplatform.render.stack import Rendered, render
from sandbox.cluster import Cluster, ClusterCommands, cluster, cluster_commands_at_hand
from sandbox.control_plane.control_plane import ControlPlane
from sandbox.control_plane.controllers import FullCommands, full_commands_at_hand, full_control_plane
from sandbox.offerings import ec2_of
from tests.kubectl import kubectl
from tests.tiers import at_hand

ROOT = Path(__file__).parents[2]
STATES = (
    ("get", "pods", "--all-namespaces", "-o", "wide"),
    ("get", "nodeclaims,nodes", "-o", "wide"),
    ("get", "events", "--all-namespaces", "--sort-by=.lastTimestamp"),
)
"""The kubectl commands that are run on the cluster of a failed test."""
STATE_LINES = 60


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Function, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A failed test's report shows the pods, nodes and last events of its cluster, and so why a pod still waits."""
    report = yield
    running = next((value for value in item.funcargs.values() if isinstance(value, Cluster)), None)
    if report.failed and report.when == "call" and running is not None:
        for arguments in STATES:
            answer = kubectl(running.plane)(*arguments)
            lines = (answer.out if answer.ok else answer.err).splitlines()[-STATE_LINES:]
            report.sections.append((f"kubectl {' '.join(arguments)}", "\n".join(lines)))
    return report


@pytest.fixture(scope="session")
def full_commands() -> FullCommands:
    """The machine's commands; a test builds none. Without them the tier is skipped, or fails where it is required."""
    return at_hand("placement", full_commands_at_hand())


@pytest.fixture(scope="session")
def control(full_commands: FullCommands, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """A control plane in which pods run, without Karpenter."""
    with full_control_plane(tmp_path_factory.mktemp("control"), full_commands) as running:
        yield running


@pytest.fixture(scope="session")
def cluster_commands() -> ClusterCommands:
    """The commands with Karpenter's; without them the tier is skipped, or fails where it is required."""
    return at_hand("placement", cluster_commands_at_hand())


@pytest.fixture(scope="session")
def dev() -> Rendered:
    """The dev stack's documents, unchanged."""
    settings = check_file(ROOT / "Pulumi.dev.yaml").settings
    assert settings is not None
    return render(settings)


Platforms: TypeAlias = Callable[[Path], AbstractContextManager[Cluster]]


@pytest.fixture
def platforms(cluster_commands: ClusterCommands, dev: Rendered) -> Platforms:
    """Starts the dev stack on a control plane with Karpenter, settled, in a folder that exists."""
    settings = check_file(ROOT / "Pulumi.dev.yaml").settings
    assert settings is not None
    ec2 = ec2_of(settings)

    @contextmanager
    def start(folder: Path) -> Generator[Cluster]:
        with cluster(folder, cluster_commands, ec2, dev.karpenter_values, kinds_of=dev.documents) as running:
            running.apply_stack(dev)
            assert running.settle() == ()
            yield running

    return start


@pytest.fixture
def platform(platforms: Platforms, tmp_path: Path) -> Iterator[Cluster]:
    """The dev stack on a control plane with Karpenter, settled; each test has a new one without earlier nodes."""
    with platforms(tmp_path) as running:
        yield running
