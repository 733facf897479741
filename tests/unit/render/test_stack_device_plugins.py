import pytest

from gpuplatform.render.stack import render
from gpuplatform.settings.source import Plain
from tests.builders import a_card, a_pool, some_settings
from tests.unit.render.reading import at, list_at, mapping_at, of_kind

NEURON: dict[str, Plain] = {"name": "neuron", "instance_types": ["inf2.xlarge"], "ceiling_devices": 4}
EFA = a_pool(cards=[a_card("H100-80GB", ["p5.48xlarge"])], efa=True, taints=[{"key": "node-cards", "value": "eight"}])


@pytest.mark.parametrize(
    ("overrides", "charts"),
    [
        ({}, set[str]()),
        ({"pools": [EFA]}, {"aws-efa-k8s-device-plugin"}),
        ({"neuron_pools": [NEURON]}, {"neuron-helm-chart"}),
        ({"pools": [EFA], "neuron_pools": [NEURON]}, {"aws-efa-k8s-device-plugin", "neuron-helm-chart"}),
    ],
    ids=["none", "efa", "neuron", "both"],
)
def test_a_device_plugin_is_installed_where_some_pool_needs_it(overrides: dict[str, Plain], charts: set[str]) -> None:
    rendered = render(some_settings(**overrides))
    assert set(rendered.device_plugin_values) == charts
    assert set(rendered.values) >= {"karpenter", "gpu-operator"} | charts


def test_the_efa_plugin_tolerates_what_the_operands_tolerate() -> None:
    rendered = render(some_settings(pools=[EFA]))
    tolerated = list_at(rendered.values["aws-efa-k8s-device-plugin"], "tolerations")
    assert tolerated == list_at(rendered.gpu_operator_values, "daemonsets", "tolerations")
    assert "node-cards" in {toleration["key"] for toleration in tolerated}


@pytest.mark.parametrize(
    ("region", "registry"),
    [
        ("us-east-1", "602401143452.dkr.ecr.us-east-1.amazonaws.com"),
        ("ap-northeast-2", "602401143452.dkr.ecr.ap-northeast-2.amazonaws.com"),
        ("ap-east-1", "800184023465.dkr.ecr.ap-east-1.amazonaws.com"),
        ("me-central-1", "759879836304.dkr.ecr.me-central-1.amazonaws.com"),
    ],
)
def test_the_efa_plugins_image_comes_from_the_registry_of_the_stacks_region(region: str, registry: str) -> None:
    zones: Plain = [f"{region}a", f"{region}b"]
    settings = some_settings(pools=[EFA], region=region, network={"new": {"cidr": "10.0.0.0/16", "zones": zones}})
    values = render(settings).values["aws-efa-k8s-device-plugin"]
    assert at(values, "image", "repository") == f"{registry}/eks/aws-efa-k8s-device-plugin"


def test_the_efa_plugin_runs_where_a_pool_has_efa_and_nowhere_else() -> None:
    plain = a_pool(name="plain", purpose="dev", cards=[a_card("H100-80GB", ["p5.48xlarge"])])
    rendered = render(some_settings(pools=[EFA, plain]))
    selector = mapping_at(rendered.values["aws-efa-k8s-device-plugin"], "nodeSelector")
    assert selector
    worn = {
        name: mapping_at(document, "spec", "template", "metadata", "labels")
        for name, document in of_kind(rendered.documents, "NodePool").items()
    }
    assert {name for name, labels in worn.items() if selector.items() <= labels.items()} == {
        "serve-h100-80gb-on-demand"
    }


def test_the_neuron_plugin_tolerates_the_neuron_taint_and_brings_no_problem_detector() -> None:
    values = render(some_settings(neuron_pools=[NEURON])).values["neuron-helm-chart"]
    assert at(values, "npd", "enabled") is False
    assert at(values, "devicePlugin", "tolerations") == [
        {"key": "aws.amazon.com/neuron", "operator": "Exists", "effect": "NoSchedule"}
    ]
