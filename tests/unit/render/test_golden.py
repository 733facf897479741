"""The documents of the stacks as files that a reviewer reads: dev's all, and of the others what dev cannot show.

A value that staging or prod alone render and that no file shows is held by what holds it for any settings: the tests of
the renderers beside this file, the rules over every document of every stack (``tests/policies/test_accepted.py``), the
schemas and admission of a real API server (``tests/cluster/``), alerts and series (``tests/metrics/``), and the engine
(``tests/engine/``).
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import cast

import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.data import SnapshotCollections
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode
from syrupy.location import PyTestLocation
from syrupy.types import SnapshotIndex

from gpuplatform.analysis.placement.stack import stack_view
from gpuplatform.render.document import as_yaml, file_names
from gpuplatform.render.stack import render
from policies.admission.documents import admission_documents
from tests.builders import ROOT, STACKS, stack_settings

GOLDEN = ROOT / "tests" / "golden"
WHOLE = "dev"
SHOWN: dict[str, dict[str, str]] = {
    "prod": {
        "clusterqueue.training": "a team's queue",
        "cohort.gpu-platform": "what all queues share",
        "configmap.gpu-operator.device-plugin-sharing": "MPS",
        "ec2nodeclass.train-efa": "a reservation, a placement group, memory limits for EFA",
        "localqueue.ml-training.default": "the queue of a namespace",
        "namespace.ml-training": "work that waits in a queue",
        "nodepool.infer-large-rtx-pro-6000-96gb-on-demand": "a taint of the pool's own",
        "nodepool.infer-thirds-l4-24gb-spot": "shares by MPS",
        "nodepool.train-efa-h100-80gb-reserved": "the market of a reservation, the label of EFA",
        "resourceflavor.chief-l40s-48gb-on-demand": "cards of a static pool",
        "resourceflavor.every-card": "quotas that name no pool",
        "resourceflavor.train-efa-h100-80gb-reserved": "whole cards on a market",
        "resourceflavor.worker-a100-80gb-on-demand": "slices",
        "role.ml-training.training-team": "a team sees its queue",
        "servicemonitor.monitoring.kueue": "the metrics of the queues",
        "validatingadmissionpolicybinding.gpu-platform-pods-audit": "admission that writes down",
        "values.aws-efa-k8s-device-plugin": "the chart of EFA",
        "values.kueue": "the chart of the queues",
        "workloadpriorityclass.training-normal": "a priority of the queues",
    },
    "staging": {
        "validatingadmissionpolicybinding.gpu-platform-pods-warn": "admission that warns",
        "values.karpenter": "another region than dev's",
    },
}
"""The documents beside dev's that have a file, each with what dev has no document of."""
HELD_ELSEWHERE = {
    "PrometheusRule.spec.groups[].rules[].labels.queue": "tests/metrics/cases.py: the alerts of a queue fire",
}
"""Fields that no file shows, each with the test that holds it."""
SLICES = re.compile(r"nvidia\.com/mig-\S+")


class GoldenFile(SingleFileSnapshotExtension):
    """One reviewed file for each document: ``tests/golden/<stack>/<file name>``."""

    _write_mode = WriteMode.TEXT
    file_extension = "yaml"

    @classmethod
    def dirname(cls, *, test_location: PyTestLocation) -> str:
        """The folder of all stacks, whichever test asks."""
        return str(GOLDEN)

    @classmethod
    def get_snapshot_name(cls, *, test_location: PyTestLocation, index: SnapshotIndex = 0) -> str:
        """The name that the test gave, ``<stack>/<file>``."""
        return str(index)

    @classmethod
    def matches_test_location(cls, *, test_location: PyTestLocation, snapshot_location: str) -> bool:
        """A test speaks for the files of its stack only."""
        return f"[{Path(snapshot_location).parent.name}]" in test_location.nodeid

    def discover_snapshots(
        self, *, test_location: PyTestLocation, ignore_extensions: list[str] | None = None
    ) -> SnapshotCollections:
        """None: files without a document are found by a test of their own, and other files here are left alone."""
        return SnapshotCollections()


Documents = dict[str, Mapping[str, object]]


def rendered_anew(stack: str) -> Documents:
    """Every document of a stack by the name of the file that ``render`` would write, without the ending."""
    settings = stack_settings(stack)
    made = render(settings)
    every = (*made.documents, *admission_documents(stack_view(settings), settings.admission))
    documents = {name.removesuffix(".yaml"): document for name, document in file_names(every).items()}
    assert len(documents) == len(every), "two documents have one file name"
    return documents | {f"values.{chart}": values for chart, values in made.values.items()}


rendered = functools.cache(rendered_anew)


def shown(stack: str) -> Documents:
    """The documents of a stack that have a file."""
    return {name: document for name, document in rendered(stack).items() if stack == WHOLE or name in SHOWN[stack]}


def fields(documents: Documents) -> set[str]:
    """The paths of all fields of the documents, each from its kind or its chart on."""
    return {path for name, document in documents.items() for path in _paths(str(document.get("kind", name)), document)}


def _paths(path: str, value: object) -> Iterator[str]:
    """A path for each field; the keys of a ConfigMap's data are names, and slices of cards are one resource."""
    yield path
    if isinstance(value, Mapping) and path != "ConfigMap.data":
        for key, below in cast("Mapping[str, object]", value).items():
            yield from _paths(f"{path}.{SLICES.sub('nvidia.com/mig', key)}", below)
    elif isinstance(value, list | tuple):
        for item in cast("Sequence[object]", value):
            yield from _paths(f"{path}[]", item)


@pytest.fixture
def golden(snapshot: SnapshotAssertion) -> SnapshotAssertion:
    return snapshot.use_extension(GoldenFile)


# Syrupy would have a snapshot's name begin with the test's; these are named after the documents.
@pytest.mark.filterwarnings(r"ignore:\s*Can not relate snapshot name")
@pytest.mark.parametrize("stack", STACKS)
def test_every_document_is_as_it_was_reviewed(stack: str, golden: SnapshotAssertion) -> None:
    for name, document in shown(stack).items():
        assert golden(name=f"{stack}/{name}") == as_yaml(document), (
            f"{name}: run `make golden` and review the difference"
        )


@pytest.mark.parametrize("stack", STACKS)
def test_every_golden_file_still_has_its_document(stack: str, request: pytest.FixtureRequest) -> None:
    kept = {path.name.removesuffix(".yaml") for path in (GOLDEN / stack).iterdir()}
    if request.config.getoption("update_snapshots"):
        for name in kept - set(shown(stack)):
            (GOLDEN / stack / f"{name}.yaml").unlink()
    else:
        assert kept == set(shown(stack)), "run `make golden`"


@pytest.mark.parametrize("stack", SHOWN)
def test_every_document_of_the_table_is_rendered(stack: str) -> None:
    assert set(SHOWN[stack]) <= set(rendered(stack))


def test_every_field_that_a_stack_renders_stands_in_some_golden_file() -> None:
    """A kind or a chart that dev has none of is missing here with all its fields: name one of it in ``SHOWN``."""
    visible, every = ({path for stack in STACKS for path in fields(of(stack))} for of in (shown, rendered))
    assert every - visible == set(HELD_ELSEWHERE)


def test_only_the_repositorys_environments_have_golden_files() -> None:
    assert {path.name for path in GOLDEN.iterdir() if path.is_dir()} == set(STACKS)


@pytest.mark.parametrize("stack", STACKS)
def test_rendering_twice_is_the_same_byte_for_byte(stack: str) -> None:
    once, again = ([*map(as_yaml, documents.values())] for documents in (rendered(stack), rendered_anew(stack)))
    assert once == again
