"""Pods run, nodes are Ready, and no process listens outside this machine."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import psutil
import pytest

from gpuplatform.render.document import Document, kubernetes_object
from sandbox.control_plane.control_plane import ControlPlane
from sandbox.control_plane.controllers import KWOK_NODE, RUNS_FOR, FullCommands, full_control_plane
from tests.kubectl import kubectl

pytestmark = [pytest.mark.placement, pytest.mark.xdist_group("placement")]

ROOM = {"cpu": "4", "memory": "8Gi", "pods": "10"}


def node(name: str) -> Document:
    document = kubernetes_object("v1", "Node", name, status={"capacity": ROOM, "allocatable": ROOM})
    document["metadata"] = {"name": name, "annotations": {KWOK_NODE: "fake"}}
    return document


def job(name: str, pods: int, **annotations: str) -> Document:
    container = {"name": "main", "image": "none", "resources": {"requests": {"cpu": "1"}}}
    template = {"metadata": {"annotations": annotations}, "spec": {"restartPolicy": "Never", "containers": [container]}}
    return kubernetes_object(
        "batch/v1", "Job", name, "default", spec={"parallelism": pods, "completions": pods, "template": template}
    )


def test_a_job_runs_on_a_node_that_kwok_looks_after_and_goes_on_running(control: ControlPlane) -> None:
    made = [node("one"), job("training", 3)]
    control.api.put_all(made)
    wait = kubectl(control)
    assert wait("wait", "--for=condition=Ready", "node/one", "--timeout=60s").ok
    assert wait("wait", "--for=jsonpath={.status.ready}=3", "job/training", "--timeout=60s").ok
    pods: Any = control.api.items("v1", "Pod", labels={"job-name": "training"})
    assert {pod["spec"]["nodeName"] for pod in pods} == {"one"}
    assert {pod["status"]["phase"] for pod in pods} == {"Running"}
    control.api.delete_all(made, 60)


def test_a_pod_of_a_job_ends_after_the_time_that_it_names(control: ControlPlane) -> None:
    jobs = [job("short", 2, **{RUNS_FOR: "1s"}), job("long", 1, **{RUNS_FOR: "1h"}), job("open", 1)]
    control.api.put_all([node("two"), *jobs])
    wait = kubectl(control)
    assert wait("wait", "--for=condition=Complete", "job/short", "--timeout=60s").ok
    for name in ("long", "open"):
        assert wait("wait", "--for=jsonpath={.status.ready}=1", f"job/{name}", "--timeout=60s").ok
    control.api.delete_all([node("two"), *jobs], 60)


def test_a_namespace_goes_away(control: ControlPlane) -> None:
    namespace = kubernetes_object("v1", "Namespace", "short-lived")
    control.api.put(namespace)
    control.api.delete_all([namespace], 60)


def test_every_part_listens_on_loopback_alone(control: ControlPlane) -> None:
    for part in control.parts:
        listening = [
            net_connection
            for net_connection in psutil.Process(part.process.pid).net_connections()
            if net_connection.status == "LISTEN"
        ]
        assert {(pconn.family, pconn.laddr.ip) for pconn in listening} == {(socket.AF_INET, "127.0.0.1")}, part.name


def test_a_kept_control_plane_is_found_again_with_its_objects_under_the_same_kubeconfig(
    full_commands: FullCommands, tmp_path: Path
) -> None:
    kept = kubernetes_object("v1", "Namespace", "kept")
    with full_control_plane(tmp_path, full_commands) as first:
        first.api.put(kept)
        kubeconfig = first.kubeconfig.read_text(encoding="utf-8")
    with full_control_plane(tmp_path, full_commands, keep=True) as second:
        assert second.api.read(second.api.place(kept)) is not None
        assert second.kubeconfig.read_text(encoding="utf-8") == kubeconfig
    with full_control_plane(tmp_path, full_commands) as third:
        assert third.api.read(third.api.place(kept)) is None
        assert third.kubeconfig.read_text(encoding="utf-8") != kubeconfig


def test_nothing_of_it_runs_once_its_block_is_left(full_commands: FullCommands, tmp_path: Path) -> None:
    with full_control_plane(tmp_path, full_commands) as running:
        pids = [part.process.pid for part in running.parts]
    assert len(pids) == 5
    assert not any(psutil.pid_exists(pid) for pid in pids)
