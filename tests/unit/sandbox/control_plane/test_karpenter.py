from __future__ import annotations

from pathlib import Path

from sandbox.control_plane.karpenter import environment_of, karpenter_in


def test_the_charts_gates_are_karpenters() -> None:
    values = {"settings": {"featureGates": {"nodeOverlay": True, "staticCapacity": False}, "clusterName": "gpu-dev"}}
    assert environment_of(values) == {"FEATURE_GATES": "NodeOverlay=true,StaticCapacity=false"}


def test_what_the_chart_says_of_batches_is_passed_on_and_nothing_is_made_up() -> None:
    assert environment_of({"settings": {"batchIdleDuration": "2s"}}) == {"BATCH_IDLE_DURATION": "2s"}
    assert environment_of({}) == {}


def test_a_folder_without_a_karpenter_has_none(tmp_path: Path) -> None:
    assert karpenter_in(tmp_path) is None
