from pathlib import Path

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


@pytest.fixture
def golden(snapshot: SnapshotAssertion) -> SnapshotAssertion:
    return snapshot.use_extension(GoldenFile)


def texts(stack: str) -> dict[str, str]:
    """Every file of a stack as ``render`` would write it, by its name without the ending."""
    settings = stack_settings(stack)
    rendered = render(settings)
    every = (*rendered.documents, *admission_documents(stack_view(settings), settings.admission))
    documents = {name.removesuffix(".yaml"): as_yaml(document) for name, document in file_names(every).items()}
    assert len(documents) == len(every), "two documents have one file name"
    return documents | {f"values.{chart}": as_yaml(values) for chart, values in rendered.values.items()}


# Syrupy would have a snapshot's name begin with the test's; these are named after the documents.
@pytest.mark.filterwarnings(r"ignore:\s*Can not relate snapshot name")
@pytest.mark.parametrize("stack", STACKS)
def test_every_document_is_as_it_was_reviewed(stack: str, golden: SnapshotAssertion) -> None:
    for name, text in texts(stack).items():
        assert golden(name=f"{stack}/{name}") == text, f"{name}: run `make golden` and review the difference"


@pytest.mark.parametrize("stack", STACKS)
def test_every_golden_file_still_has_its_document(stack: str, request: pytest.FixtureRequest) -> None:
    kept = {path.name.removesuffix(".yaml") for path in (GOLDEN / stack).iterdir()}
    if request.config.getoption("update_snapshots"):
        for name in kept - set(texts(stack)):
            (GOLDEN / stack / f"{name}.yaml").unlink()
    else:
        assert kept == set(texts(stack)), "run `make golden`"


def test_only_the_repositorys_environments_have_golden_files() -> None:
    assert {path.name for path in GOLDEN.iterdir() if path.is_dir()} == set(STACKS)


@pytest.mark.parametrize("stack", STACKS)
def test_rendering_twice_is_the_same_byte_for_byte(stack: str) -> None:
    assert texts(stack) == texts(stack)
