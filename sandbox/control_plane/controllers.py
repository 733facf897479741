"""A control plane in which pods run: the scheduler, the controller manager, and kwok, which plays every kubelet."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

import yaml

from sandbox.control_plane.control_plane import Commands, ControlPlane, control_plane
from sandbox.control_plane.part import Part, running
from sandbox.control_plane.ports import LOOPBACK, free_ports
from sandbox.errors import SandboxError

KWOK_NODE = "kwok.x-k8s.io/node"
"""Annotation of nodes that kwok looks after; their makers set it to ``fake``."""

_READY_SECONDS = 360.0
_POLL_SECONDS = 0.1
_POD_STAGES = ("pod-ready.yaml", "pod-delete.yaml")
_POD_ENDS = "pod-complete.yaml"
RUNS_FOR = "pod-complete.stage.kwok.x-k8s.io/delay"
"""Annotation of a Job's pod: how long it runs, such as ``20s``. kwok's own name for it, from its slower stages."""


@dataclass(frozen=True, slots=True)
class FullCommands:
    """The commands of a control plane with its controllers."""

    control_plane: Commands
    kube_scheduler: Path
    kube_controller_manager: Path
    kwok: Path
    pod_stages: Path
    """The folder of kwok's published stages of a pod's life."""


@contextmanager
def full_control_plane(folder: Path, commands: FullCommands, *, keep: bool = False) -> Generator[ControlPlane]:
    """A control plane in which pods are scheduled and run on nodes that carry kwok's annotation.

    What holds for ``control_plane`` holds here.
    """
    started = time.monotonic()
    with control_plane(folder, commands.control_plane, keep=keep) as plane, ExitStack() as block:
        scheduler, manager, kwok = free_ports(3)
        lines: tuple[tuple[str, Sequence[str | Path]], ...] = (
            ("kube-controller-manager", [commands.kube_controller_manager, *_manager_flags(plane, manager)]),
            ("kube-scheduler", [commands.kube_scheduler, *_scheduler_flags(plane, scheduler)]),
            ("kwok", [commands.kwok, *_kwok_flags(plane, kwok, commands.pod_stages)]),
        )
        parts = (*plane.parts, *(block.enter_context(running(name, line, folder)) for name, line in lines))
        # The controller manager's first work is what every pod needs, and what tells that it works.
        await_parts(
            parts,
            "the controllers",
            lambda: plane.kubectl("get", "serviceaccount", "default", "--namespace=default").ok,
        )
        yield replace(plane, parts=parts, ready_seconds=time.monotonic() - started)


def await_parts(parts: Sequence[Part], what: str, ready: Callable[[], bool]) -> None:
    """Return once it is ready. Raises SandboxError, which names the log, when a part ends or the time does."""
    begun = time.monotonic()
    while not ready():
        for part in parts:
            part.must_live()
        if time.monotonic() - begun > _READY_SECONDS:
            logs = ", ".join(str(part.log) for part in parts)
            raise SandboxError(f"{what} are not ready after {_READY_SECONDS:g} s; the logs are {logs}")
        time.sleep(_POLL_SECONDS)


def _as_client(plane: ControlPlane, port: int) -> list[str]:
    """Flags of a component that serves on loopback and knows the API server by the administrator's token."""
    return [
        *(f"--{use}={plane.kubeconfig}" for use in ("authentication-kubeconfig", "authorization-kubeconfig")),
        "--authentication-skip-lookup=true",
        f"--bind-address={LOOPBACK}",
        f"--secure-port={port}",
        # Empty: it signs itself, and keeps that in memory.
        "--cert-dir=",
        "--leader-elect=false",
    ]


def _manager_flags(plane: ControlPlane, port: int) -> list[str]:
    return [
        f"--kubeconfig={plane.kubeconfig}",
        *_as_client(plane, port),
        f"--service-account-private-key-file={plane.signing_key}",
        # A busy machine delays heartbeats, and no node of the sandbox dies unasked.
        "--node-monitor-grace-period=5m",
        # Its default of 20 requests a second is what a thousand jobs would wait for, and nothing else.
        "--kube-api-qps=200",
        "--kube-api-burst=300",
    ]


def _scheduler_flags(plane: ControlPlane, port: int) -> list[str]:
    configuration = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "clientConnection": {"kubeconfig": str(plane.kubeconfig)},
        "leaderElection": {"leaderElect": False},
        # A pod that waits for a node is tried again soon after the node is there; the default waits up to 10 s.
        "podInitialBackoffSeconds": 1,
        "podMaxBackoffSeconds": 2,
    }
    file = plane.folder / "scheduler.yaml"
    file.write_text(yaml.safe_dump(configuration, sort_keys=False), encoding="utf-8")
    return [f"--config={file}", *_as_client(plane, port)]


def _kwok_flags(plane: ControlPlane, port: int, stages: Path) -> list[str]:
    folder = plane.folder / "kwok"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    published = [(stages / each).read_text(encoding="utf-8") for each in _POD_STAGES]
    ends = yaml.safe_dump(_ends_when_told((stages / _POD_ENDS).read_text(encoding="utf-8")), sort_keys=False)
    (folder / "stages.yaml").write_text("\n---\n".join((*published, ends)), encoding="utf-8")
    return [
        f"--kubeconfig={plane.kubeconfig}",
        f"--config={folder / 'stages.yaml'}",
        f"--manage-nodes-with-annotation-selector={KWOK_NODE}=fake",
        "--node-lease-duration-seconds=40",
        "--cidr=10.64.0.0/10",
        f"--node-ip={LOOPBACK}",
        f"--server-address={LOOPBACK}:{port}",
    ]


def _ends_when_told(published: str) -> dict[str, object]:
    """The stage that ends pods of a Job, for those that say when: others run on, as training does while it is seen."""
    stage = cast(dict[str, dict[str, dict[str, list[object]]]], yaml.safe_load(published))
    annotation = f'.metadata.annotations["{RUNS_FOR}"]'
    stage["spec"]["selector"]["matchExpressions"].append({"key": annotation, "operator": "Exists"})
    delay = {"durationMilliseconds": 0, "durationFrom": {"expressionFrom": annotation}}
    return {**stage, "spec": {**stage["spec"], "delay": delay}}
