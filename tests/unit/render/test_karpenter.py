from gpuplatform.render.stack import render
from tests.builders import some_settings
from tests.unit.render.reading import at

VALUES = render(some_settings()).karpenter_values


def test_karpenter_runs_twice_on_the_system_nodes() -> None:
    assert VALUES["replicas"] == 2
    assert VALUES["tolerations"] == [{"key": "CriticalAddonsOnly", "operator": "Exists"}]


# With one metadata hop the controller cannot ask where it is.
def test_karpenter_is_told_its_region_cluster_and_queue() -> None:
    assert at(VALUES, "controller", "env") == [{"name": "AWS_REGION", "value": "us-east-1"}]
    assert at(VALUES, "settings", "clusterName") == "gpu-test"
    assert at(VALUES, "settings", "interruptionQueue") == "gpu-test"


def test_the_gates_are_the_settings() -> None:
    assert at(VALUES, "settings", "featureGates") == {
        "nodeOverlay": True,
        "staticCapacity": True,
        "reservedCapacity": True,
    }
    off = render(some_settings(feature_gates={"node_overlay": False, "static_capacity": False})).karpenter_values
    assert at(off, "settings", "featureGates", "nodeOverlay") is False
    assert at(off, "settings", "featureGates", "staticCapacity") is False


def test_a_guaranteed_controller_is_not_evicted_under_pressure() -> None:
    assert at(VALUES, "controller", "resources", "requests") == at(VALUES, "controller", "resources", "limits")
