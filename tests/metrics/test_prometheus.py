"""A real Prometheus loads the rules, scrapes a stand-in exporter, fires an alert, and answers what the boards ask."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import yaml

from gpuplatform.render.monitoring.boards import BOARDS
from gpuplatform.render.monitoring.stack import rules
from sandbox.control_plane.part import LOOPBACK
from tests.builders import stack_settings
from tests.metrics.server import awaited, of_all, prometheus

pytestmark = [pytest.mark.metrics, pytest.mark.xdist_group("metrics")]

_NODEPOOL = "worker-a100-80gb-on-demand"
_CARD = f'node="n1",nodepool="{_NODEPOOL}",gpu_model="A100",gpu_pool="train",gpu="0",UUID="u"'
_TYPE = "label_node_kubernetes_io_instance_type"
_POD = 'namespace="ml-training",pod="train-0",node="n1"'
SAMPLES = f"""
DCGM_EXP_XID_ERRORS_COUNT{{{_CARD},xid="119"}} 1
DCGM_FI_PROF_GR_ENGINE_ACTIVE{{{_CARD},namespace="ml-training",pod="train-0"}} 0.6
DCGM_FI_DEV_GPU_TEMP{{{_CARD}}} 61
DCGM_FI_DEV_POWER_USAGE{{{_CARD}}} 300
DCGM_FI_DEV_FB_USED{{{_CARD},namespace="ml-training"}} 4096
DCGM_FI_DEV_ROW_REMAP_PENDING{{{_CARD}}} 0
DCGM_FI_DEV_ECC_DBE_VOL_TOTAL{{{_CARD}}} 0
kube_node_labels{{node="n1",label_karpenter_sh_nodepool="{_NODEPOOL}",{_TYPE}="p4de.24xlarge"}} 1
kube_pod_container_resource_requests{{{_POD},resource="nvidia_com_mig_1g_10gb"}} 7
kube_pod_status_phase{{namespace="ml-training",pod="train-0",phase="Running"}} 1
kube_pod_status_unschedulable{{namespace="ml-training",pod="train-1"}} 0
kube_pod_container_resource_requests{{namespace="ml-training",pod="train-1",resource="nvidia_com_mig_1g_10gb"}} 7
kube_resourcequota{{namespace="ml-training",resource="requests.nvidia.com/gpu",type="used"}} 8
kube_resourcequota{{namespace="ml-training",resource="requests.nvidia.com/gpu",type="hard"}} 16
kueue_pending_workloads{{cluster_queue="research",status="active"}} 1
karpenter_nodepools_usage{{nodepool="{_NODEPOOL}",resource_type="nvidia.com/mig_1g.10gb"}} 7
karpenter_nodepools_limit{{nodepool="{_NODEPOOL}",resource_type="nvidia.com/mig_1g.10gb"}} 112
karpenter_nodepools_allowed_disruptions{{nodepool="{_NODEPOOL}",reason="Drifted"}} 0
karpenter_nodeclaims_disrupted_total{{nodepool="{_NODEPOOL}",reason="drifted"}} 0
karpenter_interruption_received_messages_total{{message_type="spot_interrupted"}} 0
karpenter_cloudprovider_instance_launch_failures_total{{reason="x",zone="a",capacity_type="spot"}} 0
"""
"""The samples that exporters would give for one node with one pod."""


class _Exporter(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/plain; version=0.0.4")
        self.end_headers()
        self.wfile.write(SAMPLES.lstrip().encode())

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: the test's own output is enough."""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    """The address of a Prometheus that scrapes the exporter every second."""
    exporter = ThreadingHTTPServer((LOOPBACK, 0), _Exporter)
    threading.Thread(target=exporter.serve_forever, daemon=True).start()
    spec = yaml.safe_load(yaml.safe_dump(rules(stack_settings("dev"))["spec"]))
    for group in spec["groups"]:
        group["interval"] = "1s"
    (tmp_path / "rules.yaml").write_text(yaml.safe_dump(spec), encoding="utf-8")
    target = {"targets": [f"{LOOPBACK}:{exporter.server_address[1]}"]}
    config = {
        "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
        "rule_files": ["rules.yaml"],
        "scrape_configs": [{"job_name": "stand-in", "honor_labels": True, "static_configs": [target]}],
    }
    try:
        with prometheus(tmp_path, config) as address:
            yield address
    finally:
        exporter.shutdown()
        exporter.server_close()


def test_an_alert_reaches_firing_and_every_board_has_data(server: str) -> None:
    (firing,) = awaited(server, 'ALERTS{alertname="GpuXidFatal",alertstate="firing"}')
    assert firing["metric"]["node"] == "n1"
    (held,) = awaited(server, f'gpu:allocated_cards:sum{{nodepool="{_NODEPOOL}"}}')
    assert float(held["value"][1]) == 1.0, "seven slices of seven are one card"
    (paid,) = awaited(server, f'gpu:paid_cards:sum{{nodepool="{_NODEPOOL}"}}')
    assert float(paid["value"][1]) == 8.0
    awaited(server, "gpu:idle_usd_per_hour:sum")
    for board in BOARDS:
        for panel in board.panels:
            assert awaited(server, of_all(board, panel)), f"{board.title}: {panel.title}"
