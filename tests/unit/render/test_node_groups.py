from gpuplatform.render.node_groups import NodeGroup
from gpuplatform.render.stack import Rendered, render
from gpuplatform.settings.source import Plain
from gpuplatform.standard import names
from tests.builders import a_card, a_market, a_pool, a_static_pool, some_settings
from tests.unit.render.reading import of_kind

MANAGED: dict[str, Plain] = {"provisioner": "managed-node-group"}


def rendered(**overrides: Plain) -> Rendered:
    pools: list[Plain] = [a_pool(), a_static_pool(**MANAGED, **overrides)]
    return render(some_settings(pools=pools, feature_gates={"static_capacity": False}))


def groups(**overrides: Plain) -> tuple[NodeGroup, ...]:
    return rendered(**overrides).node_groups


def test_a_static_pool_can_be_made_by_eks_where_karpenters_gate_is_off() -> None:
    stack = rendered()
    (group,) = stack.node_groups
    assert (group.pool, group.nodes, group.zone) == ("chief", 1, "us-east-1a")
    assert group.name == names.node_group("chief-h100-80gb-on-demand-us-east-1a", ["p5.4xlarge"])
    assert group.instance_types == ("p5.4xlarge",)
    assert list(of_kind(stack.documents, "NodePool")) == ["serve-l4-24gb-on-demand"]


def test_its_nodes_wear_the_labels_and_taints_that_karpenters_would() -> None:
    (group,) = groups()
    assert group.labels == {
        "gpu.vendor": "nvidia",
        "gpu.model": "H100",
        "gpu.mem": "80gb",
        "gpu.mig": "disabled",
        "gpu.role": "chief",
        "gpu.pool": "train",
        "nvidia.com/mig.config": "all-disabled",
    }
    assert [(taint["key"], taint["value"], taint["effect"]) for taint in group.taints] == [
        ("nvidia.com/gpu", "present", "NO_SCHEDULE"),
        ("dedicated", "gpu", "NO_SCHEDULE"),
        ("gpu.pool", "train", "NO_SCHEDULE"),
        ("gpu.role", "chief", "NO_SCHEDULE"),
    ]


def test_a_graviton_pools_group_has_its_image_and_stands_behind_its_taint() -> None:
    (group,) = groups(cards=[a_card("T4G-16GB", ["g5g.xlarge"], [a_market(ceiling_cards=None)])])
    assert group.ami_type == "AL2023_ARM_64_NVIDIA"
    assert {"key": "kubernetes.io/arch", "value": "arm64", "effect": "NO_SCHEDULE"} in group.taints


def test_each_zone_has_a_group_of_its_own() -> None:
    node_groups = groups(nodes=4, zones=["us-east-1a", "us-east-1b"])
    assert [(node_group.zone, node_group.nodes) for node_group in node_groups] == [("us-east-1a", 2), ("us-east-1b", 2)]


def test_its_nodes_have_the_purposes_root_volume() -> None:
    (group,) = groups(node_class={"root_volume_gib": 700})
    assert (group.volume.size_gib, group.volume.iops) == (700, 16000)
