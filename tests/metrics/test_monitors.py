"""What is scraped is there: each monitor selects one Service that a chart makes, and asks a port that it has."""

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
"""Charts that can be had; what the others make is in their sheets."""


@dataclass(frozen=True, slots=True)
class Service:
    """What a monitor can select."""

    namespace: str
    name: str
    labels: Mapping[str, str]
    ports: frozenset[str]
    """Their names."""


def of_sheet(chart: str) -> Iterator[Service]:
    for each in sheets()[chart].services:
        yield Service(each.namespace or CHARTS[chart].namespace, each.name, each.labels, frozenset(each.ports))


def templated(chart: str, values: Document) -> Iterator[Service]:
    """By the real helm, with the stack's own values."""
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
    for each in yaml.safe_load_all(ended.stdout):
        if each and each["kind"] == "Service":
            metadata = each["metadata"]
            ports = frozenset(port["name"] for port in each["spec"]["ports"] if "name" in port)
            yield Service(metadata["namespace"], metadata["name"], metadata["labels"], ports)


def misses(monitor: Mapping[str, Any], services: list[Service]) -> list[str]:
    """What keeps a monitor from what it means."""
    name, spec = monitor["metadata"]["name"], monitor["spec"]
    namespaces, wanted = spec["namespaceSelector"]["matchNames"], spec["selector"]["matchLabels"].items()
    selected = [each for each in services if each.namespace in namespaces and wanted <= each.labels.items()]
    if len(selected) != 1:
        return [f"{name} selects {[each.name for each in selected]} in {namespaces}"]
    absent = {each["port"] for each in spec["endpoints"]} - selected[0].ports
    return [f"{name} asks {port} of {selected[0].name}, which has {sorted(selected[0].ports)}" for port in absent]


@pytest.mark.parametrize("stack", STACKS)
def test_every_monitor_selects_one_service_and_a_port_that_it_has(stack: str, figures: Figures) -> None:
    documents = render(stack_settings(stack))
    charts = {chart: values for chart, values in documents.values.items() if chart in _RENDERED}
    made = [service for chart, values in charts.items() for service in templated(chart, values)]
    others = [service for chart in documents.values if chart not in _RENDERED for service in of_sheet(chart)]
    services = [*made, *others]
    monitors = [each for each in documents.documents if each["kind"] == "ServiceMonitor"]
    assert monitors
    wrong = [miss for each in monitors for miss in misses(each, services)]
    figures(f"{stack}: {len(monitors)} monitors, beside {len(made)} services rendered by helm; wrong: {len(wrong)}")
    assert wrong == []


@pytest.mark.parametrize("chart", _RENDERED)
def test_the_sheet_of_a_chart_that_can_be_had_tells_its_services_truly(chart: str) -> None:
    rendered = {service.name: service for service in templated(chart, render(stack_settings("prod")).values[chart])}
    for told in of_sheet(chart):
        assert told.labels.items() <= rendered[told.name].labels.items(), told.name
        named = rendered[told.name].ports
        assert told.ports == named or not named, told.name


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
        each
        for each in render(stack_settings("prod")).documents
        if each["kind"] == "ServiceMonitor" and name_of(each) == "dcgm-exporter"
    )
    spec = cast("dict[str, Any]", cards["spec"])
    spelt = {"sourceLabels": "source_labels", "targetLabel": "target_label", "regex": "regex"}
    found = {"__meta_kubernetes_node_label_" + sanitized(key): value for key, value in node_labels.items()}
    job = {
        "job_name": "cards",
        "static_configs": [{"targets": ["node:9400"], "labels": found}],
        "relabel_configs": [
            {spelt[name]: value for name, value in each.items()} for each in spec["endpoints"][0]["relabelings"]
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
