from gpuplatform.plan.node_pools import plan
from gpuplatform.render.gpu_operator import gpu_operator_values
from gpuplatform.render.nodepools import nodepool
from tests.builders import ZONES, a_slice_pool, some_settings
from tests.unit.render.reading import list_at, mapping_at


def test_the_mig_manager_may_reboot_a_node_and_may_not_stop_its_kubelet() -> None:
    env = list_at(gpu_operator_values(some_settings()), "migManager", "env")
    assert {str(variable["name"]): variable["value"] for variable in env} == {
        "WITH_REBOOT": "true",
        "HOST_KUBELET_SYSTEMD_SERVICE": "",
        "NVIDIA_CDI_HOOK_PATH": "/usr/bin/nvidia-cdi-hook",
    }


def test_a_pool_wears_the_same_layout_whoever_cuts_its_cards() -> None:
    labels = [
        mapping_at(nodepool(node_pool, None), "spec", "template", "metadata", "labels")
        for bring_up in ("operator", "before-kubelet")
        for node_pool in plan(some_settings(pools=[a_slice_pool(mig_bring_up=bring_up)]).pools, ZONES)
    ]
    assert labels[0] == labels[1]
    assert labels[0]["nvidia.com/mig.config"] == "a100-80gb.1g.10gb-x7"
