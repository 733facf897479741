"""The sandbox's life cycle: it comes up, stays unchanged the second time, survives kills, and goes without a trace."""

from __future__ import annotations

import io
import os
import shutil
import signal
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
import yaml

from sandbox import places as space
from sandbox.cluster import ClusterCommands
from sandbox.control_plane.access import identity_in
from sandbox.control_plane.karpenter import karpenter_in
from sandbox.errors import SandboxError
from sandbox.session import up_and_down
from sandbox.session.folder import SessionFolder, write_whole
from sandbox.session.session import attach, discard
from sandbox.session.up_and_down import SessionResult, Steps, down, up
from sandbox.tools.cache import tools_folder
from sandbox.tools.child import ToolUnavailableError

pytestmark = [pytest.mark.placement, pytest.mark.engine, pytest.mark.xdist_group("placement")]

ROOT = Path(__file__).parents[2]
DEV = ROOT / "Pulumi.dev.yaml"
LIMIT_SECONDS = 360.0


@pytest.fixture
def folder(cluster_commands: ClusterCommands, tmp_path: Path) -> Iterator[SessionFolder]:
    made = SessionFolder(tmp_path / "sandbox")
    yield made
    discard(made)


@pytest.fixture
def queued(tmp_path: Path) -> Path:
    """The dev stack with a queue for its training, and one more system node for Kueue."""
    text = DEV.read_text(encoding="utf-8")
    changes = {
        "          - name: ml-training\n": "          - name: ml-training\n            scheduling: queued\n",
        "[m7i.large]\n      nodes: 3\n": "[m7i.large]\n      nodes: 4\n",
    }
    for before, after in changes.items():
        assert text.count(before) == 1
        text = text.replace(before, after)
    made = tmp_path / DEV.name
    made.write_text(text, encoding="utf-8")
    return made


def bring_up(folder: SessionFolder, stack_file: Path = DEV, stack: str = "dev") -> SessionResult:
    out = io.StringIO()
    ended = up(stack, stack_file, folder, Steps(out, []))
    assert ended.ok, out.getvalue()
    return ended


def until(what: Callable[[], bool]) -> None:
    begun = time.monotonic()
    while not what():
        assert time.monotonic() - begun < LIMIT_SECONDS
        time.sleep(0.2)


def processes(folder: SessionFolder) -> dict[str, int]:
    status = folder.status()
    assert status is not None
    return {part.name: part.pid for part in status.parts}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home of the user; the tools stay available."""
    made = tmp_path / "home"
    made.mkdir()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tools_folder().parents[1]))
    monkeypatch.setenv("HOME", str(made))
    return made


def test_a_stack_with_admission_on_deny_and_queues_goes_up_survives_kills_and_leaves_nothing(
    folder: SessionFolder, queued: Path, home: Path
) -> None:
    first = bring_up(folder, queued)
    assert first.outcome.changes["create"] >= 150
    assert first.unsettled == ()
    sandbox = attach(folder, first.settings)
    bindings = sandbox.items("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicyBinding")
    assert all("Deny" in str(binding["spec"]) for binding in bindings)
    assert [node.nodepool for node in sandbox.nodes()] == ["chief-h100-80gb-on-demand-us-east-1a"]
    for path in sorted((ROOT / "examples" / "workloads").glob("*.yaml")):
        sandbox.apply(yaml.safe_load_all(path.read_text(encoding="utf-8")))
    until(lambda: {pod.name.rpartition("-")[0] for pod in sandbox.pods("ml-training")} >= {"embed-0", "pretrain-1"})
    assert sandbox.settle() == ()
    assert {(pod.name, pod.phase) for pod in sandbox.pods() if pod.phase != "Running"} == set()

    kubeconfig = sandbox.plane.kubeconfig.read_text(encoding="utf-8")
    before = processes(folder)
    for name in ("etcd", "kube-apiserver", "karpenter", "kueue"):
        os.kill(before[name], signal.SIGKILL)
        until(lambda name=name: processes(folder)[name] != before[name])
    status = folder.status()
    assert status is not None
    for name in ("etcd", "kube-apiserver", "karpenter", "kueue"):
        assert any(f"{name} was killed by signal 9; its log is" in line for line in status.events)

    # A changed price is a changed catalog: Karpenter is restarted with it.
    earlier = attach(folder, first.settings).karpenter.url
    write_whole(folder.catalog, folder.catalog.read_text(encoding="utf-8") + "\n")
    until(lambda: (karpenter := karpenter_in(folder.control_plane)) is not None and karpenter.url != earlier)

    supervisor = folder.supervisor()
    assert supervisor is not None
    supervisor.kill()
    until(lambda: not any(psutil.pid_exists(pid) for pid in processes(folder).values()))
    second = bring_up(folder, queued)
    assert set(second.outcome.changes) == {"same"}
    assert sandbox.plane.kubeconfig.read_text(encoding="utf-8") == kubeconfig
    assert {pod.phase for pod in attach(folder, second.settings).pods("ml-serving")} == {"Running"}

    pids = processes(folder).values()
    stack, outcome = down(folder, Steps(io.StringIO(), []))
    assert stack == "dev"
    assert outcome is not None
    assert outcome.ok
    assert not folder.path.exists()
    assert list(home.iterdir()) == []
    assert not any(psutil.pid_exists(pid) for pid in pids)
    gone = [event.urn for event in outcome.journal if event.operation == "delete"]
    last_pool = max(at for at, urn in enumerate(gone) if ":NodePool::" in urn)
    controller = next(at for at, urn in enumerate(gone) if urn.endswith("::karpenter-controller"))
    assert last_pool < controller


def test_another_stack_is_refused_while_the_sandbox_holds_one(folder: SessionFolder) -> None:
    folder.claim("dev")
    with pytest.raises(SandboxError, match="runs the stack dev, and it runs one stack at a time"):
        up("prod", ROOT / "Pulumi.prod.yaml", folder, Steps(io.StringIO(), []))


def test_a_stack_that_fails_its_checks_starts_nothing(folder: SessionFolder, tmp_path: Path) -> None:
    broken = tmp_path / "Pulumi.dev.yaml"
    broken.write_text(DEV.read_text(encoding="utf-8").replace("region: us-east-1", "region: mars-1"), encoding="utf-8")
    with pytest.raises(SandboxError, match="mars-1"):
        up("dev", broken, folder, Steps(io.StringIO(), []))
    assert not folder.path.exists()


def test_a_full_disk_is_said_before_anything_starts(folder: SessionFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage(ROOT)

    def full(_path: object) -> object:
        return usage.__class__(usage.total, usage.total, 5 << 20)

    monkeypatch.setattr(space.shutil, "disk_usage", full)
    with pytest.raises(SandboxError, match="has 5 MiB of free space"):
        up("dev", DEV, folder, Steps(io.StringIO(), []))
    assert folder.stack() is None


def test_a_control_plane_that_cannot_start_is_said_with_its_log_and_leaves_nothing(folder: SessionFolder) -> None:
    folder.path.mkdir(parents=True)
    folder.control_plane.write_text("in the way", encoding="utf-8")
    with pytest.raises(SandboxError, match=r"did not start; its log is .*supervisor\.log"):
        up("dev", DEV, folder, Steps(io.StringIO(), []))
    assert not folder.path.exists()


def test_a_port_that_another_program_took_is_said_and_nothing_runs(folder: SessionFolder) -> None:
    folder.claim("dev")
    folder.control_plane.mkdir(parents=True)
    identity = identity_in(folder.control_plane)
    with socket.socket() as other:
        other.bind(("127.0.0.1", identity.api_server))
        other.listen()
        with pytest.raises(SandboxError, match=f"another program uses ports of .*: {identity.api_server}") as raised:
            up("dev", DEV, folder, Steps(io.StringIO(), []))
    assert "Traceback" not in str(raised.value)
    until(lambda: folder.supervisor() is None)


def test_a_tool_that_is_not_to_be_had_leaves_nothing(folder: SessionFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere(*_: object) -> None:
        raise ToolUnavailableError("etcd could not be had")

    monkeypatch.setattr(up_and_down, "provide", nowhere)
    with pytest.raises(ToolUnavailableError, match="etcd"):
        up("dev", DEV, folder, Steps(io.StringIO(), []))
    assert not folder.path.exists()


def test_down_without_a_sandbox_says_so(folder: SessionFolder) -> None:
    with pytest.raises(SandboxError, match="there is no sandbox"):
        down(folder, Steps(io.StringIO(), []))
