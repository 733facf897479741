"""A pool's further taints: its own keys, each once."""

from __future__ import annotations

import pytest

from gpuplatform.accept import examine
from gpuplatform.settings.source import Plain
from tests.builders import a_pool, paths, settings_object


def faults(*taints: Plain) -> list[str]:
    return paths(examine(settings_object(pools=[a_pool(taints=list(taints))])).faults)


@pytest.mark.parametrize(
    "key",
    [
        "nvidia.com/gpu",
        "dedicated",
        "gpu.pool",
        "gpu.role",
        "aws.amazon.com/neuron",
        "karpenter.sh/unregistered",
        "node.kubernetes.io/not-ready",
        "node.cilium.k8s.io/agent-not-ready",
    ],
)
def test_a_key_that_others_put_on_nodes_is_refused(key: str) -> None:
    assert faults({"key": "share", "value": "whole"}, {"key": key, "value": "x"}) == ["pools[serve].taints[1].key"]


def test_one_key_may_have_two_effects_and_not_one_twice() -> None:
    share: dict[str, Plain] = {"key": "share", "value": "whole"}
    assert faults(share, {**share, "effect": "NoExecute"}, {"key": "example.com/share", "value": "x"}) == []
    assert faults(share, {**share, "value": "half"}) == ["pools[serve].taints[1]"]
