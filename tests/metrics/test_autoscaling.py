"""What serving scales by has a producer, on slices too, and its object is one that KEDA's definition accepts."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest
import yaml

from tests.builders import ROOT, stack_settings
from tests.metrics.known import asked, known_series

EXAMPLES = sorted((ROOT / "examples" / "autoscaling").glob("*.yaml"))
ABSENT_UNDER_MIG = {"DCGM_FI_DEV_GPU_UTIL", "DCGM_FI_DEV_MEM_COPY_UTIL"}


def queries(path: Path) -> list[str]:
    document = cast("dict[str, Any]", yaml.safe_load(path.read_text(encoding="utf-8")))
    return [each["metadata"]["query"] for each in document["spec"]["triggers"]]


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
        each["metadata"]
        for file in (ROOT / "examples" / "workloads").glob("*.yaml")
        for each in yaml.safe_load_all(file.read_text(encoding="utf-8"))
        if each and each["kind"] == "Deployment"
    ]
    target = document["spec"]["scaleTargetRef"]["name"]
    assert (target, document["metadata"]["namespace"]) in {(each["name"], each["namespace"]) for each in workloads}
