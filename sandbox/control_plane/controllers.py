"""A control plane with its controllers: controller manager, scheduler, and kwok, which plays the kubelets."""

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
from sandbox.control_plane.part import LOOPBACK, Part, free_ports, running
from sandbox.errors import SandboxError
from sandbox.tools.acquire import at_hand
from sandbox.tools.module_files import KWOK_POD_STAGES, files_at_hand
from sandbox.tools.table import ETCD, KUBE_APISERVER, KUBE_CONTROLLER_MANAGER, KUBE_SCHEDULER, KUBECTL, KWOK


def commands_at_hand() -> Commands | None:
    """The commands of a control plane, from PATH or the cache; None where one is missing. Nothing is built."""
    etcd, api_server, kubectl = at_hand(ETCD), at_hand(KUBE_APISERVER), at_hand(KUBECTL)
    if etcd is None or api_server is None or kubectl is None:
        return None
    return Commands(etcd.command, api_server.command, kubectl.command)


def full_commands_at_hand() -> FullCommands | None:
    """The commands of a control plane and its controllers; None where one is missing. Nothing is built."""
    small, stages = commands_at_hand(), files_at_hand(KWOK_POD_STAGES)
    scheduler, manager, kwok = at_hand(KUBE_SCHEDULER), at_hand(KUBE_CONTROLLER_MANAGER), at_hand(KWOK)
    if small is None or stages is None or scheduler is None or manager is None or kwok is None:
        return None
    return FullCommands(small, scheduler.command, manager.command, kwok.command, stages)


KWOK_NODE = "kwok.x-k8s.io/node"
"""Annotation of nodes whose kubelet kwok plays; the creator of such a node sets it to ``fake``."""

_READY_SECONDS = 360.0
_POLL_SECONDS = 0.1
_POD_STAGES = ("pod-ready.yaml", "pod-delete.yaml")
_POD_ENDS = "pod-complete.yaml"
RUNS_FOR = "pod-complete.stage.kwok.x-k8s.io/delay"
"""Annotation of a Job's pod: how long it runs, such as ``20s``. The name comes from kwok's own slower stages."""


@dataclass(frozen=True, slots=True)
class FullCommands:
    """The commands of a control plane and its controllers."""

    control_plane: Commands
    kube_scheduler: Path
    kube_controller_manager: Path
    kwok: Path
    pod_stages: Path
    """The folder of kwok's published stages of a pod's life cycle."""


@contextmanager
def full_control_plane(folder: Path, commands: FullCommands, *, keep: bool = False) -> Generator[ControlPlane]:
    """A control plane in which pods are scheduled and run on nodes that carry kwok's annotation.

    The rules of ``control_plane`` apply here too.
    """
    start_time = time.monotonic()
    with control_plane(folder, commands.control_plane, keep=keep) as plane, ExitStack() as block:
        scheduler, manager, kwok = free_ports(3)
        lines: tuple[tuple[str, Sequence[str | Path]], ...] = (
            ("kube-controller-manager", [commands.kube_controller_manager, *_manager_flags(plane, manager)]),
            ("kube-scheduler", [commands.kube_scheduler, *_scheduler_flags(plane, scheduler)]),
            ("kwok", [commands.kwok, *_kwok_flags(plane, kwok, commands.pod_stages)]),
        )
        parts = (*plane.parts, *(block.enter_context(running(name, line, folder)) for name, line in lines))
        # Every pod needs a service account, and the controller manager makes the default one first.
        await_parts(
            parts,
            "the controllers",
            lambda: plane.kubectl("get", "serviceaccount", "default", "--namespace=default").ok,
        )
        yield replace(plane, parts=parts, ready_seconds=time.monotonic() - start_time)


def await_parts(parts: Sequence[Part], what: str, ready: Callable[[], bool]) -> None:
    """Return once ``ready`` is true. Raises SandboxError, which names the logs, when a part ends or time runs out."""
    start_time = time.monotonic()
    while not ready():
        for part in parts:
            part.must_live()
        if time.monotonic() - start_time > _READY_SECONDS:
            logs = ", ".join(str(part.log) for part in parts)
            raise SandboxError(f"{what} are not ready after {_READY_SECONDS:g} s; the logs are {logs}")
        time.sleep(_POLL_SECONDS)


def _as_client(plane: ControlPlane, port: int) -> list[str]:
    """Flags of a component that listens on loopback and reaches the API server with the administrator's token."""
    return [
        *(f"--{use}={plane.kubeconfig}" for use in ("authentication-kubeconfig", "authorization-kubeconfig")),
        "--authentication-skip-lookup=true",
        f"--bind-address={LOOPBACK}",
        f"--secure-port={port}",
        # Without a folder the component keeps a self-signed certificate in memory.
        "--cert-dir=",
        "--leader-elect=false",
    ]


def _manager_flags(plane: ControlPlane, port: int) -> list[str]:
    return [
        f"--kubeconfig={plane.kubeconfig}",
        *_as_client(plane, port),
        f"--service-account-private-key-file={plane.signing_key}",
        # A busy machine delays heartbeats, and must not make nodes of the sandbox unready.
        "--node-monitor-grace-period=5m",
        # With the default of 20 requests a second, a thousand jobs would wait for this limit alone.
        "--kube-api-qps=200",
        "--kube-api-burst=300",
    ]


def _scheduler_flags(plane: ControlPlane, port: int) -> list[str]:
    configuration = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "clientConnection": {"kubeconfig": str(plane.kubeconfig)},
        "leaderElection": {"leaderElect": False},
        # A pod that waits for a node is tried again soon after the node joins; the default waits up to 10 s.
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
    stage_texts = [(stages / stage).read_text(encoding="utf-8") for stage in _POD_STAGES]
    completion_stage = yaml.safe_dump(
        _completion_stage((stages / _POD_ENDS).read_text(encoding="utf-8")), sort_keys=False
    )
    (folder / "stages.yaml").write_text("\n---\n".join((*stage_texts, completion_stage)), encoding="utf-8")
    return [
        f"--kubeconfig={plane.kubeconfig}",
        f"--config={folder / 'stages.yaml'}",
        f"--manage-nodes-with-annotation-selector={KWOK_NODE}=fake",
        "--node-lease-duration-seconds=40",
        "--cidr=10.64.0.0/10",
        f"--node-ip={LOOPBACK}",
        f"--server-address={LOOPBACK}:{port}",
    ]


def _completion_stage(text: str) -> dict[str, object]:
    """The stage that ends a Job's pods, limited to pods with the annotation ``RUNS_FOR``; other pods keep running."""
    stage = cast(dict[str, dict[str, dict[str, list[object]]]], yaml.safe_load(text))
    annotation = f'.metadata.annotations["{RUNS_FOR}"]'
    stage["spec"]["selector"]["matchExpressions"].append({"key": annotation, "operator": "Exists"})
    delay = {"durationMilliseconds": 0, "durationFrom": {"expressionFrom": annotation}}
    return {**stage, "spec": {**stage["spec"], "delay": delay}}
