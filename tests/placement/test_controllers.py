"""Pods run, nodes are Ready, and no process listens outside this machine."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import psutil
import pytest
import yaml

from gpuplatform.render.document import Document, kubernetes_object
from sandbox.control_plane.control_plane import ControlPlane
from sandbox.control_plane.controllers import KWOK_NODE, RUNS_FOR, FullCommands, full_control_plane

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
    kubectl = control.kubectl
    assert kubectl.apply(yaml.safe_dump_all([node("one"), job("training", 3)])).ok
    assert kubectl("wait", "--for=condition=Ready", "node/one", "--timeout=60s").ok
    assert kubectl("wait", "--for=jsonpath={.status.ready}=3", "job/training", "--timeout=60s").ok
    pods = json.loads(kubectl("get", "pods", "-l", "job-name=training", "-o", "json").out)["items"]
    assert {pod["spec"]["nodeName"] for pod in pods} == {"one"}
    assert {pod["status"]["phase"] for pod in pods} == {"Running"}
    assert kubectl("delete", "job/training", "node/one", "--timeout=60s").ok


def test_a_pod_of_a_job_ends_after_the_time_that_it_names(control: ControlPlane) -> None:
    kubectl = control.kubectl
    jobs = [job("short", 2, **{RUNS_FOR: "1s"}), job("long", 1, **{RUNS_FOR: "1h"}), job("open", 1)]
    assert kubectl.apply(yaml.safe_dump_all([node("two"), *jobs])).ok
    assert kubectl("wait", "--for=condition=Complete", "job/short", "--timeout=60s").ok
    for name in ("long", "open"):
        assert kubectl("wait", "--for=jsonpath={.status.ready}=1", f"job/{name}", "--timeout=60s").ok
    assert kubectl("delete", "jobs", "--all", "--timeout=60s").ok
    assert kubectl("delete", "node/two", "--timeout=60s").ok


def test_a_namespace_goes_away(control: ControlPlane) -> None:
    assert control.kubectl("create", "namespace", "short-lived").ok
    assert control.kubectl("delete", "namespace", "short-lived", "--timeout=60s").ok


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
    with full_control_plane(tmp_path, full_commands) as first:
        assert first.kubectl("create", "namespace", "kept").ok
        kubeconfig = first.kubeconfig.read_text(encoding="utf-8")
    with full_control_plane(tmp_path, full_commands, keep=True) as second:
        assert second.kubectl("get", "namespace", "kept").ok
        assert second.kubeconfig.read_text(encoding="utf-8") == kubeconfig
    with full_control_plane(tmp_path, full_commands) as third:
        assert not third.kubectl("get", "namespace", "kept").ok
        assert third.kubeconfig.read_text(encoding="utf-8") != kubeconfig


def test_nothing_of_it_runs_once_its_block_is_left(full_commands: FullCommands, tmp_path: Path) -> None:
    with full_control_plane(tmp_path, full_commands) as running:
        pids = [part.process.pid for part in running.parts]
    assert len(pids) == 5
    assert not any(psutil.pid_exists(pid) for pid in pids)
