import pytest

from gpuplatform.plan.node_pools import plan
from gpuplatform.render.block import block
from gpuplatform.settings.pools import Pool
from gpuplatform.settings.source import Plain
from gpuplatform.standard import selection
from gpuplatform.standard.taints import TaintEffect, Toleration, untolerated
from tests.builders import STACKS, a_card, a_pool, a_shared_pool, a_slice_pool, stack_settings


def of(raw: dict[str, Plain]) -> dict[str, object]:
    return block(Pool.model_validate(raw)).as_pod_fragment()


def test_a_block_is_a_selector_tolerations_and_one_unit_to_paste() -> None:
    assert of(a_slice_pool()) == {
        "runtimeClassName": "nvidia",
        "nodeSelector": {
            "gpu.pool": "train",
            "gpu.role": "worker",
            "gpu.mig": "enabled",
            "gpu.mig.profile": "1g.10gb",
            "gpu.model": "A100",
            "gpu.mem": "80gb",
            "karpenter.sh/capacity-type": "on-demand",
        },
        "tolerations": [
            {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"},
            {"key": "dedicated", "operator": "Exists", "effect": "NoSchedule"},
            {"key": "gpu.pool", "operator": "Equal", "value": "train", "effect": "NoSchedule"},
        ],
        "containers": [
            {
                "name": "main",
                "resources": {
                    "requests": {"nvidia.com/mig-1g.10gb": "1"},
                    "limits": {"nvidia.com/mig-1g.10gb": "1"},
                },
            }
        ],
    }


def test_a_share_is_asked_for_like_a_whole_card() -> None:
    assert block(Pool.model_validate(a_shared_pool())).resources == {"nvidia.com/gpu": "1"}


def test_a_pools_own_taints_are_tolerated_by_their_value() -> None:
    raw = a_pool(taints=[{"key": "node-cards", "value": "eight", "effect": "NoExecute"}])
    assert block(Pool.model_validate(raw)).tolerations[-1] == {
        "key": "node-cards",
        "operator": "Equal",
        "value": "eight",
        "effect": "NoExecute",
    }


def test_a_graviton_pool_is_answered_by_its_block() -> None:
    raw = a_pool(cards=[a_card("T4G-16GB", ["g5g.xlarge"])])
    assert block(Pool.model_validate(raw)).tolerations[-1] == {
        "key": "kubernetes.io/arch",
        "operator": "Equal",
        "value": "arm64",
        "effect": "NoSchedule",
    }


def test_the_affinity_says_the_same_as_the_selector() -> None:
    made = block(Pool.model_validate(a_pool()))
    assert made.as_affinity() == {
        "nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {
                "nodeSelectorTerms": [
                    {
                        "matchExpressions": [
                            {"key": key, "operator": "In", "values": [value]}
                            for key, value in made.node_selector.items()
                        ]
                    }
                ]
            }
        }
    }


# Correction 15 and 23: only labels of the standard and the capacity type, which are true before the node is there.
@pytest.mark.parametrize("stack", STACKS)
def test_a_block_selects_on_the_standard_alone(stack: str) -> None:
    for pool in stack_settings(stack).pools:
        keys = set(block(pool).node_selector)
        assert all(key.startswith("gpu.") or key == "karpenter.sh/capacity-type" for key in keys)


@pytest.mark.parametrize("stack", STACKS)
def test_a_block_as_written_lands_on_every_nodepool_of_its_pool_and_on_no_other(stack: str) -> None:
    settings = stack_settings(stack)
    planned = plan(settings.pools, settings.network.zones)
    for pool in settings.pools:
        made = block(pool)
        answers = [
            Toleration(
                toleration["key"],
                toleration.get("value"),
                TaintEffect(toleration["effect"]) if "effect" in toleration else None,
            )
            for toleration in made.tolerations
        ]
        reached = [
            node_pool.pool.name
            for node_pool in planned
            if selection.matches(made.node_selector, node_pool.node_labels)
            and not untolerated(node_pool.taints, answers)
        ]
        assert reached == [node_pool.pool.name for node_pool in planned if node_pool.pool.name == pool.name]
