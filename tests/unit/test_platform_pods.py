"""The platform's own pods, as the charts make them from our values: each finds a node, and only nodes meant for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

import pytest

from gpuplatform import accept
from gpuplatform.analysis.workloads import Made, obstacles, value_at
from gpuplatform.faults import errors
from gpuplatform.platform_pods import faults, platform_nodes, platform_pods
from gpuplatform.render import karpenter
from gpuplatform.render.document import Document
from gpuplatform.render.monitoring.values import SERVICE_ACCOUNT
from gpuplatform.render.stack import chart_values, render
from gpuplatform.settings.settings import Settings
from gpuplatform.settings.source import Plain
from gpuplatform.standard import keys, names
from gpuplatform.standard.sheets.sheet import ChartService, Kind, MeantFor, sheets
from gpuplatform.standard.taints import system_labels, system_tolerations
from gpuplatform.standard.versions import CHARTS
from tests.builders import (
    STACKS,
    a_card,
    a_market,
    a_namespace,
    a_pool,
    a_shared_pool,
    a_slice_pool,
    a_static_pool,
    a_tenant,
    settings_object,
    some_settings,
    stack_settings,
)
from tests.unit.render.reading import at, list_at, mapping_at, of_kind

NOT_INSTALLED = {"nvidia-device-plugin"}
"""Charts that are pinned and not installed: the GPU Operator contains the plugin."""
WITHOUT_REQUESTS = {"gpu-operator-upgrade-crd", "gpu-operator-cleanup-gpucluster"}
"""Hooks for which the chart has no value."""


def everything(effect: str = "NoSchedule") -> Settings:
    """A stack with every kind of pool and every chart, whose GPU taints have this effect."""
    keeps_out = effect if effect != "PreferNoSchedule" else "NoSchedule"

    def tainted(pool: dict[str, Plain]) -> dict[str, Plain]:
        taints: Plain = [{"key": "for", "value": pool["name"], "effect": keeps_out}]
        return {**pool, "taint_effect": effect, "taints": taints}

    eight: Plain = [a_card("H100-80GB", ["p5.48xlarge"], [a_market()])]
    mps: dict[str, Plain] = {**a_shared_pool(name="mps"), "sharing": {"mps": 4}}
    pools = (
        a_pool(),
        a_static_pool(),
        a_static_pool(name="group", provisioner="managed-node-group"),
        a_static_pool(name="claimed", dra=True),
        a_slice_pool(),
        a_shared_pool(),
        mps,
        a_pool(name="wide", purpose="train", efa=True, cards=eight),
        a_pool(name="narrow", purpose="train", cards=eight),
    )
    return some_settings(
        pools=[tainted(pool) for pool in pools],
        cpu_pools=[
            {"name": "cpu", "instance_types": ["m7i.large"], "ceiling_vcpus": 16},
            {"name": "graviton", "instance_types": ["m7g.large"], "ceiling_vcpus": 16},
        ],
        neuron_pools=[{"name": "neuron", "instance_types": ["inf2.xlarge", "trn1.2xlarge"], "ceiling_devices": 4}],
        tenants=[a_tenant(namespaces=[a_namespace(scheduling="queued")])],
    )


@cache
def stack(name: str) -> Settings:
    return stack_settings(name) if name in STACKS else everything(name)


EVERY = (*STACKS, "NoSchedule", "NoExecute", "PreferNoSchedule")
each_stack = pytest.mark.parametrize("name", EVERY)


def controllers(settings: Settings) -> list[Made]:
    return [made for made in platform_pods(settings) if made.fact.place is MeantFor.SYSTEM]


@each_stack
def test_every_pod_of_the_platform_stands_where_it_is_meant_to_and_nowhere_else(name: str) -> None:
    assert [str(fault) for fault in faults(stack(name))] == []


@each_stack
def test_at_the_first_up_the_system_nodes_take_every_controller_and_every_hook(name: str) -> None:
    system = [kind for kind in platform_nodes(stack(name)) if MeantFor.SYSTEM in kind.places]
    assert system
    assert {made.fact.name: obstacles(made.ask, kind) for made in controllers(stack(name)) for kind in system} == {
        made.fact.name: () for made in controllers(stack(name))
    }


@each_stack
def test_a_controller_says_the_system_label_and_the_system_taint_and_a_daemon_set_does_not(name: str) -> None:
    (label,) = system_labels().items()
    (tolerated,) = system_tolerations()
    for made in platform_pods(stack(name)):
        is_system = made.fact.place is MeantFor.SYSTEM
        assert (label in made.node_selector.items()) == is_system, made.fact.name
        if is_system:
            assert tolerated in made.tolerations, made.fact.name


def test_the_everything_stack_has_every_kind_of_node_and_every_chart_but_the_plain_device_plugin() -> None:
    settings = everything()
    assert {place for kind in platform_nodes(settings) for place in kind.places} == set(MeantFor)
    assert set(chart_values(settings)) == set(CHARTS) - NOT_INSTALLED == set(CHARTS) & set(sheets())


@each_stack
def test_the_values_that_are_judged_are_the_values_that_are_installed(name: str) -> None:
    judged = chart_values(stack(name))
    assert judged.pop("karpenter-crd") == {}
    assert judged == render(stack(name)).values


def leaves(values: Mapping[str, object], path: str = "") -> Iterator[str]:
    for key, value in values.items():
        if isinstance(value, Mapping) and value:
            yield from leaves(value, f"{path}{key}.")  # pyright: ignore[reportUnknownArgumentType]
        else:
            yield f"{path}{key}"


@each_stack
def test_every_value_is_one_that_the_chart_reads(name: str) -> None:
    for chart, values in chart_values(stack(name)).items():
        readable = sheets()[chart].readable
        unread = [
            leaf for leaf in leaves(values) if not any(leaf == path or leaf.startswith(f"{path}.") for path in readable)
        ]
        assert unread == [], chart


@each_stack
def test_every_controller_asks_for_cpu_and_memory(name: str) -> None:
    silent = {
        made.fact.name
        for made in controllers(stack(name))
        for container in made.containers
        if set(container.requests) != {"cpu", "memory"}
    }
    assert silent == WITHOUT_REQUESTS


@each_stack
def test_what_the_api_server_asks_has_two_pods_apart_one_of_which_always_stays(name: str) -> None:
    values = chart_values(stack(name))
    # EKS sets these fields of its own add-ons.
    asked = [made for made in platform_pods(stack(name)) if made.fact.answers_api_server and made.chart in values]
    assert asked
    for made in asked:
        budget = value_at(values[made.chart], made.fact.paths.disruption_budget)
        assert isinstance(budget, Mapping), made.fact.name
        assert budget["minAvailable"] == 1
        assert (made.replicas, made.priority) == (2, "system-cluster-critical")
        (spread,) = made.spread
        assert spread["topologyKey"] == keys.HOSTNAME
        assert spread["whenUnsatisfiable"] == "DoNotSchedule"
        assert spread["labelSelector"] == {"matchLabels": dict(made.fact.labels)}


@each_stack
def test_pods_spread_over_hosts_have_a_host_each(name: str) -> None:
    hosts = stack(name).system_nodes.nodes
    assert [made.fact.name for made in controllers(stack(name)) if made.spread and made.replicas > hosts] == []


@each_stack
def test_identities_are_of_service_accounts_that_the_charts_make(name: str) -> None:
    accounts = {made.fact.name: (made.namespace, made.service_account) for made in platform_pods(stack(name))}
    assert accounts["karpenter"] == (names.KARPENTER_NAMESPACE, names.KARPENTER_SERVICE_ACCOUNT)
    prometheus = accounts["prometheus-kube-prometheus-stack-prometheus"]
    assert prometheus == (CHARTS["kube-prometheus-stack"].namespace, SERVICE_ACCOUNT)


@each_stack
def test_every_monitor_selects_one_service_of_a_sheet_and_a_port_that_it_has(name: str) -> None:
    made = [
        (service.namespace or CHARTS[chart].namespace, service)
        for chart in chart_values(stack(name))
        for service in sheets()[chart].services
    ]
    monitors = of_kind(render(stack(name)).documents, "ServiceMonitor")
    assert monitors
    for monitor, document in monitors.items():
        (service,) = selected(document, made)
        asked = {str(at(endpoint, "port")) for endpoint in list_at(document, "spec", "endpoints")}
        assert asked <= set(service.ports), monitor


def selected(monitor: Mapping[str, object], made: list[tuple[str, ChartService]]) -> list[ChartService]:
    namespaces = [str(namespace) for namespace in list_at(monitor, "spec", "namespaceSelector", "matchNames")]
    selector = mapping_at(monitor, "spec", "selector", "matchLabels").items()
    return [service for namespace, service in made if namespace in namespaces and selector <= service.labels.items()]


@each_stack
def test_a_charts_namespace_is_as_strict_as_the_charts_pods_let_it_be(name: str) -> None:
    levels = {
        namespace: at(document, "metadata", "labels", keys.POD_SECURITY_ENFORCE)
        for namespace, document in of_kind(render(stack(name)).documents, "Namespace").items()
    }
    for chart in set(chart_values(stack(name))) - {"karpenter-crd"}:
        namespace = CHARTS[chart].namespace
        if namespace != "kube-system" and sheets()[chart].workloads:
            assert levels[namespace] == sheets()[chart].pod_security.value, chart
    assert levels["keda"] == "restricted"


@each_stack
def test_every_claim_of_a_chart_names_its_storage_class(name: str) -> None:
    values = chart_values(stack(name))
    classes = {
        made.fact.name: value_at(values[made.chart], f"{storage}.volumeClaimTemplate.spec.storageClassName")
        for made in platform_pods(stack(name))
        if (storage := made.fact.paths.storage) and value_at(values[made.chart], storage) is not None
    }
    assert classes == {"prometheus-kube-prometheus-stack-prometheus": names.STORAGE_CLASS}


@pytest.mark.parametrize("effect", ["NoSchedule", "NoExecute"])
def test_what_belongs_on_every_node_stays_on_every_node_of_every_pool(effect: str) -> None:
    settings = everything(effect)
    on_every_node = [made for made in platform_pods(settings) if made.fact.place is MeantFor.EVERY_NODE]
    assert "kube-prometheus-stack-prometheus-node-exporter" in {made.fact.name for made in on_every_node}
    assert {made.fact.kind for made in on_every_node} == {Kind.DAEMON_SET}
    kept_away = {
        (made.fact.name, kind.name): reasons
        for made in on_every_node
        for kind in platform_nodes(settings)
        if (reasons := obstacles(made.ask, kind))
    }
    assert kept_away == {}


def test_settings_whose_controllers_have_no_node_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    nowhere: Document = {"tolerations": []}
    monkeypatch.setattr(karpenter, "placement", lambda: nowhere)
    loaded = accept.check(settings_object())
    assert loaded.settings is None
    assert [fault.path for fault in errors(loaded.faults)] == ["charts[karpenter].Deployment[karpenter]"]
