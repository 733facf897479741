"""What a stack publishes, and the reader that another team's program uses."""

from __future__ import annotations

import pulumi
import pytest

from components.program import publish
from components.reader import read_platform
from gpuplatform.outputs import OUTPUT_NAME, PlatformOutputs
from tests.recorder import record
from tests.unit.components.builders import full_settings, given_cluster

STACK = "organization/gpu-platform/test"


def published() -> dict[str, object]:
    settings = full_settings()
    return record(lambda: publish(settings, given_cluster())).exports


def test_a_stack_publishes_its_document_and_the_kubeconfig_and_no_more() -> None:
    exports = published()
    assert set(exports) == {OUTPUT_NAME, "kubeconfig"}
    document = exports[OUTPUT_NAME]
    assert isinstance(document, dict)
    assert document["cluster_endpoint"] == "https://given.example"


def test_what_is_published_is_what_the_reader_reads() -> None:
    document = published()[OUTPUT_NAME]
    read: list[PlatformOutputs] = []

    def program() -> None:
        pulumi.export("read", read_platform(STACK).apply(read.append))

    record(program, references={STACK: {OUTPUT_NAME: document}})
    (outputs,) = read
    assert outputs.cluster_name == "gpu-test"
    assert {pool.name for pool in outputs.pools} >= {"serve", "worker"}


@pytest.mark.parametrize("others", [{}, {OUTPUT_NAME: "something else"}], ids=["nothing", "another program's"])
def test_a_stack_that_publishes_something_else_ends_the_reader_with_one_clear_message(
    others: dict[str, object],
) -> None:
    def program() -> None:
        pulumi.export("read", read_platform(STACK))

    with pytest.raises(pulumi.RunError, match=f"the stack {STACK} publishes no output"):
        record(program, references={STACK: others})
