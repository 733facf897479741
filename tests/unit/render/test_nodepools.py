import pytest

from gpuplatform.render.stack import render
from gpuplatform.settings.source import Plain
from tests.builders import (
    STACKS,
    a_card,
    a_market,
    a_pool,
    a_shared_pool,
    a_slice_pool,
    a_static_pool,
    some_settings,
    stack_settings,
)
from tests.unit.render.reading import at, list_at, mapping_at, of_kind

EVERY: list[Plain] = [a_pool(), a_slice_pool(), a_shared_pool(), a_static_pool(nodes=2)]


def nodepools(*pools: dict[str, Plain], **others: Plain) -> dict[str, dict[str, object]]:
    rendered = render(some_settings(pools=list(pools) or EVERY, **others))
    return {name: dict(document) for name, document in of_kind(rendered.documents, "NodePool").items()}


def spec(pool: dict[str, Plain], **others: Plain) -> dict[str, object]:
    (document,) = nodepools(pool, **others).values()
    return mapping_at(document, "spec")


def values_of(spec_: dict[str, object], key: str) -> object:
    (requirement,) = (
        requirement for requirement in list_at(spec_, "template", "spec", "requirements") if requirement["key"] == key
    )
    assert requirement["operator"] == "In"
    return requirement["values"]


def test_an_elastic_nodepool_is_limited_in_whole_cards() -> None:
    nodepool_spec = spec(a_pool())
    assert nodepool_spec["limits"] == {"nvidia.com/gpu": "8"}
    assert nodepool_spec["weight"] == 100
    assert "replicas" not in nodepool_spec


@pytest.mark.parametrize(
    ("pool", "limits"),
    [
        (a_slice_pool(), {"nvidia.com/mig-1g.10gb": "112"}),  # 16 cards, seven slices each
        (a_slice_pool(sharing={"mig": "3g.40gb"}), {"nvidia.com/mig-3g.40gb": "32"}),
        (a_slice_pool(sharing={"mig": "1g.10gb+me"}), {"nvidia.com/mig-1g.10gb.me": "16"}),
        (a_shared_pool(), {"nvidia.com/gpu": "16"}),  # 4 cards, four shares each
        (a_shared_pool() | {"sharing": {"mps": 10}}, {"nvidia.com/gpu": "40"}),
    ],
    ids=["1g", "3g", "attribute", "time-slicing", "mps"],
)
def test_a_shared_pools_ceiling_in_cards_is_written_in_what_the_autoscaler_counts(
    pool: dict[str, Plain], limits: dict[str, str]
) -> None:
    assert spec(pool)["limits"] == limits


# A static NodePool whose limit is its size never drifts, and the API server refuses it a weight or other limits.
def test_a_static_nodepool_has_replicas_no_weight_and_room_for_one_node_more() -> None:
    nodepool_spec = spec(a_static_pool(nodes=3))
    assert nodepool_spec["replicas"] == 3
    assert nodepool_spec["limits"] == {"nodes": "4"}
    assert "weight" not in nodepool_spec
    assert at(nodepool_spec, "disruption", "consolidateAfter") == "Never"
    assert "consolidationPolicy" not in mapping_at(nodepool_spec, "disruption")


def test_a_static_pool_is_one_nodepool_in_each_zone() -> None:
    by_name = nodepools(a_static_pool(nodes=4, zones=["us-east-1a", "us-east-1b"]))
    assert {
        name: (at(document, "spec", "replicas"), values_of(mapping_at(document, "spec"), "topology.kubernetes.io/zone"))
        for name, document in by_name.items()
    } == {
        "chief-h100-80gb-on-demand-us-east-1a": (2, ["us-east-1a"]),
        "chief-h100-80gb-on-demand-us-east-1b": (2, ["us-east-1b"]),
    }


def test_a_nodepool_carries_the_standard_and_the_operators_instructions() -> None:
    assert at(spec(a_slice_pool()), "template", "metadata", "labels") == {
        "gpu.vendor": "nvidia",
        "gpu.model": "A100",
        "gpu.mem": "80gb",
        "gpu.mig": "enabled",
        "gpu.mig.profile": "1g.10gb",
        "gpu.role": "worker",
        "gpu.pool": "train",
        "nvidia.com/mig.config": "a100-80gb.1g.10gb-x7",
    }


def test_a_whole_card_that_could_be_cut_is_told_not_to_be() -> None:
    assert at(spec(a_static_pool()), "template", "metadata", "labels", "nvidia.com/mig.config") == "all-disabled"


def test_a_card_without_mig_gets_no_instruction_about_it() -> None:
    assert "nvidia.com/mig.config" not in mapping_at(spec(a_pool()), "template", "metadata", "labels")


# Correction 11: no default; a pool's own label chooses whether its cards are time-sliced.
def test_only_the_nodes_of_a_shared_pool_are_told_to_share() -> None:
    key = "nvidia.com/device-plugin.config"
    chosen = {
        name: mapping_at(document, "spec", "template", "metadata", "labels").get(key)
        for name, document in nodepools().items()
    }
    assert {name: value for name, value in chosen.items() if value} == {"notebook-t4-16gb-spot": "time-slicing-x4"}


# Correction 15: feature discovery renames the product under time-slicing, so nothing selects on its labels.
@pytest.mark.parametrize("stack", STACKS)
def test_nothing_rendered_names_a_label_of_feature_discovery(stack: str) -> None:
    for name, document in of_kind(render(stack_settings(stack)).documents, "NodePool").items():
        assert "nvidia.com/gpu." not in str(document), name


# Correction 9 and 16: the guides' two GPU taints, and the purpose that keeps pools apart.
def test_a_nodepool_wears_the_standards_taints_then_the_pools_own() -> None:
    pool = a_pool(taints=[{"key": "node-cards", "value": "eight"}])
    assert at(spec(pool), "template", "spec", "taints") == [
        {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"},
        {"key": "dedicated", "value": "gpu", "effect": "NoSchedule"},
        {"key": "gpu.pool", "value": "infer", "effect": "NoSchedule"},
        {"key": "node-cards", "value": "eight", "effect": "NoSchedule"},
    ]


def test_a_chief_wears_a_fourth_taint() -> None:
    taints = list_at(spec(a_static_pool()), "template", "spec", "taints")
    assert taints[3] == {"key": "gpu.role", "value": "chief", "effect": "NoSchedule"}


# Correction 19: expiry is forceful and ignores budgets, so it is off unless a pool asks for it.
@pytest.mark.parametrize(("hours", "written"), [(None, "Never"), ("never", "Never"), (336, "336h")])
def test_nodes_expire_only_where_the_pool_says_so(hours: Plain, written: str) -> None:
    pool = a_pool() if hours is None else a_pool(expire_after_hours=hours)
    assert at(spec(pool), "template", "spec", "expireAfter") == written


@pytest.mark.parametrize("stack", STACKS)
def test_training_and_chief_nodes_of_every_environment_never_expire_and_go_only_when_empty(stack: str) -> None:
    for name, document in of_kind(render(stack_settings(stack)).documents, "NodePool").items():
        labels = mapping_at(document, "spec", "template").get("metadata")
        if labels is None or at(labels, "labels", "gpu.pool") != "train":
            continue
        assert at(document, "spec", "template", "spec", "expireAfter") == "Never", name
        assert mapping_at(document, "spec", "disruption").get("consolidationPolicy", "WhenEmpty") == "WhenEmpty", name


def test_a_nodepool_names_its_types_market_zones_and_architecture() -> None:
    nodepool_spec = spec(a_pool(cards=[a_card(types=["g6.xlarge", "g6.2xlarge"], markets=[a_market("spot")])]))
    assert values_of(nodepool_spec, "node.kubernetes.io/instance-type") == ["g6.xlarge", "g6.2xlarge"]
    assert values_of(nodepool_spec, "karpenter.sh/capacity-type") == ["spot"]
    assert values_of(nodepool_spec, "topology.kubernetes.io/zone") == ["us-east-1a", "us-east-1b"]
    assert values_of(nodepool_spec, "kubernetes.io/arch") == ["amd64"]
    assert values_of(nodepool_spec, "kubernetes.io/os") == ["linux"]


def test_graviton_cards_are_launched_on_their_architecture() -> None:
    nodepool_spec = spec(a_pool(cards=[a_card("T4G-16GB", ["g5g.xlarge"])]))
    assert values_of(nodepool_spec, "kubernetes.io/arch") == ["arm64"]


def test_a_nodepool_launches_from_its_pools_node_class() -> None:
    assert at(spec(a_pool()), "template", "spec", "nodeClassRef") == {
        "group": "karpenter.k8s.aws",
        "kind": "EC2NodeClass",
        "name": "serve",
    }


# Correction 16: the order of preference is within one pool, on weights of its own.
@pytest.mark.parametrize("stack", STACKS)
def test_no_two_elastic_gpu_nodepools_of_an_environment_have_one_weight(stack: str) -> None:
    documents = of_kind(render(stack_settings(stack)).documents, "NodePool").values()
    weights = [weight for document in documents if (weight := mapping_at(document, "spec").get("weight")) is not None]
    assert len(weights) == len(set(map(str, weights)))


@pytest.mark.parametrize(
    ("aliases", "written"),
    [
        (None, {}),
        (
            "operations-guide",
            {"node-type": "gpu", "gpu-type": "l4", "gpu-memory": "24gb", "workload-class": "inference"},
        ),
        ("karpenter-guide", {"node-type": "gpu-inference", "workload": "inference"}),
    ],
)
def test_an_alias_vocabulary_stands_beside_the_standard_only_where_it_is_asked_for(
    aliases: str | None, written: dict[str, str]
) -> None:
    labels = mapping_at(spec(a_pool(), aliases=aliases), "template", "metadata", "labels")
    assert {key: value for key, value in labels.items() if not key.startswith("gpu.")} == written
    assert labels["gpu.pool"] == "infer"


@pytest.mark.parametrize("stack", STACKS)
def test_every_nodepool_keeps_to_the_api_servers_rules(stack: str) -> None:
    for name, document in of_kind(render(stack_settings(stack)).documents, "NodePool").items():
        nodepool_spec = mapping_at(document, "spec")
        if "replicas" in nodepool_spec:
            assert "weight" not in nodepool_spec, name
            assert set(mapping_at(nodepool_spec, "limits")) == {"nodes"}, name
        assert "consolidateAfter" in mapping_at(nodepool_spec, "disruption"), name
        assert all(isinstance(value, str) for value in mapping_at(nodepool_spec, "limits").values()), name
        for requirement in list_at(nodepool_spec, "template", "spec", "requirements"):
            assert requirement["values"], name
            assert requirement["key"] not in ("karpenter.sh/nodepool", "kubernetes.io/hostname"), name
