"""Each monitor selects one Service that a chart makes, and a port of that Service."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import pytest
import yaml

from gpuplatform.render.document import Document, name_of
from gpuplatform.render.monitoring.names import sanitized
from gpuplatform.render.stack import render
from gpuplatform.standard.sheets.sheet import sheets
from gpuplatform.standard.versions import CHARTS
from sandbox.tools.acquire import at_hand
from sandbox.tools.module_files import KARPENTER_CHART, KUEUE_CHART, ModuleFiles, files_at_hand
from sandbox.tools.table import HELM, PROMTOOL
from tests import tiers
from tests.builders import STACKS, stack_settings
from tests.figures import Figures

pytestmark = [pytest.mark.metrics, pytest.mark.xdist_group("metrics")]

_RENDERED: Mapping[str, ModuleFiles] = {"karpenter": KARPENTER_CHART, "kueue": KUEUE_CHART}
"""Charts that the test can render; the Services of the others are in their fact sheets."""


@dataclass(frozen=True, slots=True)
class Service:
    """What a monitor can select."""

    namespace: str
    name: str
    labels: Mapping[str, str]
    ports: frozenset[str]
    """Their names."""


def of_sheet(chart: str) -> Iterator[Service]:
    for service in sheets()[chart].services:
        yield Service(
            service.namespace or CHARTS[chart].namespace, service.name, service.labels, frozenset(service.ports)
        )


def templated(chart: str, values: Document) -> Iterator[Service]:
    """Services as the real helm renders them with the stack's values."""
    helm = tiers.at_hand("metrics", at_hand(HELM)).command
    folder = tiers.at_hand("metrics", files_at_hand(_RENDERED[chart]))
    namespace = CHARTS[chart].namespace
    ended = subprocess.run(
        [helm, "template", chart, folder, "--namespace", namespace, "--values", "-"],
        input=json.dumps(values),
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    for document in yaml.safe_load_all(ended.stdout):
        if document and document["kind"] == "Service":
            metadata = document["metadata"]
            ports = frozenset(port["name"] for port in document["spec"]["ports"] if "name" in port)
            yield Service(metadata["namespace"], metadata["name"], metadata["labels"], ports)


def misses(service_monitor: Mapping[str, Any], services: list[Service]) -> list[str]:
    """Why a monitor selects no Service, several, or a port that is not there."""
    name, spec = service_monitor["metadata"]["name"], service_monitor["spec"]
    namespaces, labels = spec["namespaceSelector"]["matchNames"], spec["selector"]["matchLabels"].items()
    selected = [service for service in services if service.namespace in namespaces and labels <= service.labels.items()]
    if len(selected) != 1:
        return [f"{name} selects {[service.name for service in selected]} in {namespaces}"]
    absent = {endpoint["port"] for endpoint in spec["endpoints"]} - selected[0].ports
    return [f"{name} asks {port} of {selected[0].name}, which has {sorted(selected[0].ports)}" for port in absent]


@pytest.mark.parametrize("stack", STACKS)
def test_every_monitor_selects_one_service_and_a_port_that_it_has(stack: str, figures: Figures) -> None:
    documents = render(stack_settings(stack))
    charts = {chart: values for chart, values in documents.values.items() if chart in _RENDERED}
    made = [service for chart, values in charts.items() for service in templated(chart, values)]
    others = [service for chart in documents.values if chart not in _RENDERED for service in of_sheet(chart)]
    services = [*made, *others]
    monitors = [document for document in documents.documents if document["kind"] == "ServiceMonitor"]
    assert monitors
    wrong = [miss for document in monitors for miss in misses(document, services)]
    figures(f"{stack}: {len(monitors)} monitors, beside {len(made)} services rendered by helm; wrong: {len(wrong)}")
    assert wrong == []


@pytest.mark.parametrize("chart", _RENDERED)
def test_the_sheet_of_a_chart_that_can_be_had_tells_its_services_truly(chart: str) -> None:
    rendered = {service.name: service for service in templated(chart, render(stack_settings("prod")).values[chart])}
    for sheet_service in of_sheet(chart):
        assert sheet_service.labels.items() <= rendered[sheet_service.name].labels.items(), sheet_service.name
        named = rendered[sheet_service.name].ports
        assert sheet_service.ports == named or not named, sheet_service.name


def monitor(port: str, **labels: str) -> dict[str, Any]:
    spec = {"namespaceSelector": {"matchNames": ["here"]}, "selector": {"matchLabels": labels}}
    return {"metadata": {"name": "a-monitor"}, "spec": {**spec, "endpoints": [{"port": port}]}}


def test_a_monitor_of_nothing_of_two_or_of_another_port_is_named() -> None:
    services = [Service("here", name, {"app": name, "of": "both"}, frozenset({"metrics"})) for name in ("one", "two")]
    assert misses(monitor("metrics", app="one"), services) == []
    assert misses(monitor("http", app="one"), services) == ["a-monitor asks http of one, which has ['metrics']"]
    assert misses(monitor("metrics", app="three"), services) == ["a-monitor selects [] in ['here']"]
    assert misses(monitor("metrics", of="both"), services) == ["a-monitor selects ['one', 'two'] in ['here']"]
    elsewhere = [Service("there", "one", {"app": "one"}, frozenset({"metrics"}))]
    assert misses(monitor("metrics", app="one"), elsewhere) == ["a-monitor selects [] in ['here']"]


def relabelled(folder: Path, node_labels: Mapping[str, str]) -> Mapping[str, str]:
    """What the real promtool makes of a card exporter's target on a node with these labels, by our own monitor."""
    (cards,) = (
        document
        for document in render(stack_settings("prod")).documents
        if document["kind"] == "ServiceMonitor" and name_of(document) == "dcgm-exporter"
    )
    spec = cast("dict[str, Any]", cards["spec"])
    spelt = {"sourceLabels": "source_labels", "targetLabel": "target_label", "regex": "regex"}
    target_labels = {"__meta_kubernetes_node_label_" + sanitized(key): value for key, value in node_labels.items()}
    job = {
        "job_name": "cards",
        "static_configs": [{"targets": ["node:9400"], "labels": target_labels}],
        "relabel_configs": [
            {spelt[name]: value for name, value in relabeling.items()}
            for relabeling in spec["endpoints"][0]["relabelings"]
        ],
    }
    (folder / "prometheus.yml").write_text(yaml.safe_dump({"scrape_configs": [job]}), encoding="utf-8")
    promtool = tiers.at_hand("metrics", at_hand(PROMTOOL)).command
    ended = subprocess.run(
        [promtool, "check", "service-discovery", "--timeout=1s", "prometheus.yml", "cards"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    (target,) = json.loads(ended.stdout)
    return target["labels"]


@pytest.mark.parametrize("key", ["karpenter.sh/nodepool", "eks.amazonaws.com/nodegroup"])
def test_the_series_of_a_card_name_its_pool_whoever_made_the_node(tmp_path: Path, key: str) -> None:
    labels = relabelled(tmp_path, {key: "chief-1", "gpu.model": "L40S", "gpu.pool": "train"})
    assert (labels["nodepool"], labels["gpu_model"], labels["gpu_pool"]) == ("chief-1", "L40S", "train")


def test_the_exporter_of_objects_is_told_to_show_either_name_of_a_pool() -> None:
    values = render(stack_settings("prod")).values["kube-prometheus-stack"]
    (shown,) = cast("dict[str, Any]", values["kube-state-metrics"])["metricLabelsAllowlist"]
    listed = set(shown.removeprefix("nodes=[").removesuffix("]").split(","))
    assert {"karpenter.sh/nodepool", "eks.amazonaws.com/nodegroup"} <= listed
