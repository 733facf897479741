"""The series that serving scales by exists, on slices too, and busy replicas grow to the allowed maximum."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, cast

import pytest
import yaml

from tests.builders import ROOT, stack_settings
from tests.metrics.known import asked, known_series
from tests.metrics.promtool import Rules

EXAMPLES = sorted((ROOT / "examples" / "autoscaling").glob("*.yaml"))
ABSENT_UNDER_MIG = {"DCGM_FI_DEV_GPU_UTIL", "DCGM_FI_DEV_MEM_COPY_UTIL"}


def queries(path: Path) -> list[str]:
    document = cast("dict[str, Any]", yaml.safe_load(path.read_text(encoding="utf-8")))
    return [trigger["metadata"]["query"] for trigger in document["spec"]["triggers"]]


def test_there_is_an_example() -> None:
    assert EXAMPLES


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_what_it_scales_by_is_measured_and_not_absent_under_mig(path: Path) -> None:
    for query in queries(path):
        assert asked(query)
        assert asked(query) <= known_series(stack_settings("prod")) - ABSENT_UNDER_MIG


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_what_it_scales_is_among_the_examples(path: Path) -> None:
    document = cast("dict[str, Any]", yaml.safe_load(path.read_text(encoding="utf-8")))
    workloads = [
        example["metadata"]
        for file in (ROOT / "examples" / "workloads").glob("*.yaml")
        for example in yaml.safe_load_all(file.read_text(encoding="utf-8"))
        if example and example["kind"] == "Deployment"
    ]
    target = document["spec"]["scaleTargetRef"]["name"]
    assert (target, document["metadata"]["namespace"]) in {
        (workload["name"], workload["namespace"]) for workload in workloads
    }


TOLERANCE = 0.1
"""An autoscaler changes nothing within this part of its target (kubernetes.io, Horizontal Pod Autoscaling)."""
(BY_USE,) = (path for path in EXAMPLES if path.stem == "serving-by-use")


def scaled_by_use() -> dict[str, Any]:
    return cast("dict[str, Any]", yaml.safe_load(BY_USE.read_text(encoding="utf-8")))["spec"]


def desired(replicas: int, use: float) -> int:
    """How many replicas the autoscaler wants where the query says this, by the formula that Kubernetes documents.

    KEDA makes an external metric of a trigger. What the query says is shared among the replicas, unless ``metricType``
    is Value (keda.sh, ScaledObject specification).
    """
    spec = scaled_by_use()
    (trigger,) = spec["triggers"]
    kind = trigger.get("metricType", "AverageValue")
    assert kind in {"AverageValue", "Value"}
    target = float(trigger["metadata"]["threshold"]) * (replicas if kind == "AverageValue" else 1)
    unbounded = replicas if abs(use / target - 1) <= TOLERANCE else math.ceil(replicas * use / target)
    return max(spec["minReplicaCount"], min(spec["maxReplicaCount"], unbounded))


@pytest.mark.xdist_group("metrics")
def test_its_query_says_how_much_one_card_works_however_many_there_are(tmp_path: Path) -> None:
    judge = Rules.of(stack_settings("prod"), tmp_path / "rules.yaml")
    (query,) = queries(BY_USE)
    for replicas in (1, 8):
        pods = (f'namespace="ml-serving",pod="chat-{number}"' for number in range(replicas))
        series = {f"DCGM_FI_PROF_GR_ENGINE_ACTIVE{{{pod}}}": [0.875] for pod in pods}
        series['DCGM_FI_PROF_GR_ENGINE_ACTIVE{namespace="ml-training",pod="chat-0"}'] = [0.125]
        assert judge.fault_of(series, 0, {query: {"{}": 0.875}}) == ""


@pytest.mark.parametrize(
    ("replicas", "use", "expected"),
    [(8, 0.875, 8), (8, 0.7, 8), (4, 0.875, 5), (1, 0.875, 2), (8, 0.35, 4), (8, 0.01, 1)],
)
def test_busy_replicas_are_kept_and_joined_by_more_and_idle_ones_go(replicas: int, use: float, expected: int) -> None:
    assert desired(replicas, use) == expected


def test_replicas_are_given_back_no_sooner_than_a_node_pays_off() -> None:
    spec = scaled_by_use()
    assert spec["minReplicaCount"] > 0
    assert "cooldownPeriod" not in spec, "it is for the way to no replica at all"
    behavior = spec["advanced"]["horizontalPodAutoscalerConfig"]["behavior"]
    assert behavior["scaleDown"]["stabilizationWindowSeconds"] == 600
