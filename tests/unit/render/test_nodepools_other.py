from gpuplatform.render.stack import render
from gpuplatform.settings.source import Plain
from tests.builders import some_settings
from tests.unit.render.reading import at, list_at, mapping_at, of_kind

CPU: dict[str, Plain] = {"name": "cpu", "instance_types": ["m7i.large", "c7i.large"], "ceiling_vcpus": 64}
ARM: dict[str, Plain] = {"name": "arm", "instance_types": ["m7g.large"], "ceiling_vcpus": 32}
NEURON: dict[str, Plain] = {"name": "neuron", "instance_types": ["inf2.xlarge"], "ceiling_devices": 4}
DOCUMENTS = of_kind(render(some_settings(cpu_pools=[CPU, ARM], neuron_pools=[NEURON])).documents, "NodePool")


def requirements(name: str) -> dict[str, object]:
    lines = list_at(DOCUMENTS[name], "spec", "template", "spec", "requirements")
    return {str(line["key"]): line["values"] for line in lines}


def test_a_cpu_pool_takes_both_markets_without_gpu_taints() -> None:
    by_key = requirements("cpu")
    assert by_key["kubernetes.io/arch"] == ["amd64"]
    assert by_key["karpenter.sh/capacity-type"] == ["spot", "on-demand"]
    assert "taints" not in mapping_at(DOCUMENTS["cpu"], "spec", "template", "spec")
    assert at(DOCUMENTS["cpu"], "spec", "limits") == {"cpu": "64"}


def test_graviton_is_a_nodepool_of_its_own_behind_a_taint_with_its_own_ceiling() -> None:
    assert requirements("arm")["kubernetes.io/arch"] == ["arm64"]
    assert at(DOCUMENTS["arm"], "spec", "template", "spec", "taints") == [
        {"key": "kubernetes.io/arch", "value": "arm64", "effect": "NoSchedule"}
    ]
    assert at(DOCUMENTS["arm"], "spec", "limits") == {"cpu": "32"}


def test_a_neuron_pool_stands_behind_the_neuron_taint_and_counts_devices() -> None:
    assert at(DOCUMENTS["neuron"], "spec", "template", "spec", "taints") == [
        {"key": "aws.amazon.com/neuron", "value": "true", "effect": "NoSchedule"}
    ]
    assert at(DOCUMENTS["neuron"], "spec", "limits") == {"aws.amazon.com/neuron": "4"}


def test_pools_without_nvidia_cards_carry_no_label_of_the_standard() -> None:
    for name in ("cpu", "neuron"):
        assert "metadata" not in mapping_at(DOCUMENTS[name], "spec", "template")


def test_each_launches_from_a_node_class_of_its_own() -> None:
    for name in ("cpu", "neuron"):
        assert at(DOCUMENTS[name], "spec", "template", "spec", "nodeClassRef", "name") == name
