"""A whole stack in the sandbox: its controllers run on its own tainted system nodes, and nowhere else."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import cast

import pytest

from gpuplatform.render.document import Document, kubernetes_object, name_of
from gpuplatform.standard import keys
from gpuplatform.standard.sheets.sheet import MeantFor, sheets
from gpuplatform.standard.taints import system_labels
from sandbox.cloud.workloads import RELEASE
from sandbox.cluster import Cluster, ClusterCommands, items
from sandbox.session.folder import SessionFolder
from sandbox.session.session import attach, discard
from sandbox.session.up_and_down import Steps, down, up
from tests.builders import ROOT

pytestmark = [pytest.mark.placement, pytest.mark.engine, pytest.mark.xdist_group("placement")]

CPU_POOL = """
    cpu_pools:
      - name: cpu
        instance_types: [m7i.large, m7i.xlarge]
        ceiling_vcpus: 32
"""
SELECTED = ",".join(f"{key}={value}" for key, value in system_labels().items())


@pytest.fixture
def folder(cluster_commands: ClusterCommands, tmp_path: Path) -> Iterator[SessionFolder]:
    made = SessionFolder(tmp_path / "sandbox")
    yield made
    discard(made)


@pytest.fixture
def staging(tmp_path: Path) -> Path:
    """The staging stack with a pool of CPU nodes, which have no taint."""
    text, tenants = (ROOT / "Pulumi.staging.yaml").read_text(encoding="utf-8"), "\n    tenants:\n"
    assert text.count(tenants) == 1
    made = tmp_path / "Pulumi.staging.yaml"
    made.write_text(text.replace(tenants, f"{CPU_POOL}{tenants}"), encoding="utf-8")
    return made


def a_cpu_workload() -> Document:
    """A user's workload without tolerations, too large for the free space of the system nodes."""
    container = {"name": "main", "image": "none", "resources": {"requests": {"cpu": "1500m"}}}
    labels = {"app": "batch"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
    spec = {"replicas": 1, "selector": {"matchLabels": labels}, "template": template}
    return kubernetes_object("apps/v1", "Deployment", "batch", "default", spec=spec)


def controllers() -> set[str]:
    """Every controller of a sheet that is meant for the system nodes, hooks left out."""
    workloads = (workload for sheet in sheets().values() for workload in sheet.workloads)
    return {workload.name for workload in workloads if workload.place is MeantFor.SYSTEM and not workload.hooks}


def nodes_of_controllers(cluster: Cluster) -> dict[str, set[str]]:
    """The nodes of each controller's pods, by the controller's name."""
    names, nodes = controllers(), dict[str, set[str]]()
    for pod in items(cluster.plane.kubectl, "pods", "--all-namespaces"):
        labels = cast("Mapping[str, str]", cast("Mapping[str, object]", pod["metadata"]).get("labels") or {})
        name = labels.get("gpu-platform.sandbox/workload") or labels.get("app.kubernetes.io/name", "")
        if name in names:
            nodes.setdefault(name, set()).add(str(cast("Mapping[str, object]", pod["spec"]).get("nodeName")))
    return nodes


def test_every_release_stands_on_the_stacks_own_system_nodes_even_where_a_cpu_node_is_free(
    folder: SessionFolder, staging: Path
) -> None:
    out = io.StringIO()
    ended = up("staging", staging, folder, Steps(out, []))
    assert ended.ok, out.getvalue()
    assert ended.unsettled == ()
    cluster = attach(folder, ended.settings)
    kubectl = cluster.plane.kubectl
    system = {name_of(node) for node in items(kubectl, "nodes", f"--selector={SELECTED}")}
    assert len(system) == ended.settings.system_nodes.nodes
    placed = nodes_of_controllers(cluster)
    expected = {"karpenter", "gpu-operator", "keda-operator", "coredns", "prometheus-kube-prometheus-stack-prometheus"}
    assert placed.keys() >= expected
    assert set().union(*placed.values()) == system

    cluster.apply([a_cpu_workload()])
    assert cluster.settle() == ()
    (cpu,) = {name_of(node) for node in items(kubectl, "nodes", f"--selector={keys.NODEPOOL}=cpu")}
    # All pods but Prometheus's, which its volume binds to one zone, and Karpenter's, which take half a node each.
    selector = f"{RELEASE},app.kubernetes.io/name!=prometheus"
    gone = kubectl("delete", "pods", "--all-namespaces", f"--selector={selector}", "--wait=false")
    assert gone.ok, gone.err
    assert cluster.settle() == ()
    again = nodes_of_controllers(cluster)
    assert again.keys() == placed.keys()
    assert {pod.name: pod.why for pod in cluster.pods() if pod.node is None} == {}
    assert set().union(*again.values()) <= system
    assert any(pod.node == cpu for pod in cluster.pods("monitoring")), "what is meant for every node is there"

    (claim,) = items(kubectl, "persistentvolumeclaims", "--namespace=monitoring")
    assert cast("Mapping[str, str]", claim["status"])["phase"] == "Bound"

    _, outcome = down(folder, Steps(io.StringIO(), []))
    assert outcome is not None
    assert outcome.ok
