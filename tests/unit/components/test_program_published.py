"""The next run of a stack's program ends if a published fixed label would change."""

from __future__ import annotations

import copy
from typing import Any, cast

import pulumi
import pytest

from components.program import last_published
from gpuplatform.outputs import OUTPUT_NAME
from tests.recorder import record
from tests.unit.test_main import recorded, run_program

OWN = "organization/gpu-platform/dev"


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    """The document that a first run of the program for dev publishes."""
    return cast(dict[str, Any], recorded("dev").exports[OUTPUT_NAME])


def changed(document: dict[str, Any], **labels: str) -> dict[str, Any]:
    """The document with other labels on every NodePool of the pool infer."""
    other = copy.deepcopy(document)
    for pool in other["pools"]:
        for node_pool in pool["node_pools"] if pool["name"] == "infer" else ():
            node_pool["labels"] |= {key.replace("_", "."): value for key, value in labels.items()}
    return other


def test_a_first_up_has_published_nothing() -> None:
    read: list[object] = []
    record(lambda: read.append(last_published()))
    assert read == [{}]


@pytest.mark.slow  # the whole program, twice
def test_what_stays_as_it_was_published_passes_and_makes_what_a_first_up_makes(document: dict[str, Any]) -> None:
    again = run_program("dev", {OWN: {OUTPUT_NAME: document, "kubeconfig": "secret"}})
    first = recorded("dev")
    assert [resource.urn for resource in again.resources] == [resource.urn for resource in first.resources], (
        "nothing is made to read"
    )


def test_every_fixed_label_that_would_change_is_told_at_once(document: dict[str, Any]) -> None:
    before = changed(document, gpu_pool="dev", gpu_vendor="other")

    with pytest.raises(pulumi.RunError) as refused:
        run_program("dev", {OWN: {OUTPUT_NAME: before}})

    message = str(refused.value)
    assert "NodePool infer-l4-24gb-spot: spec.template.metadata.labels[gpu.pool]" in message
    assert "'dev' becomes 'infer'" in message
    assert "'other' becomes 'nvidia'" in message
    assert "make a new pool under a new name" in message
    assert message.count("gpu-labels-fixed") == 2 * message.count("labels[gpu.pool]") == 12
    assert "12 faults, and nothing was made" in message


@pytest.mark.parametrize(
    ("published", "message"),
    [("another program's", "the document of this platform"), ({"version": 7}, f"{OWN}: platform.version: given 7")],
)
def test_what_cannot_be_compared_ends_the_program(published: object, message: str) -> None:
    with pytest.raises(pulumi.RunError, match=message):
        run_program("dev", {OWN: {OUTPUT_NAME: published}})


def test_outputs_that_the_engine_cannot_read_end_the_program_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(token: str, _: object) -> object:
        raise Exception(f"invoke of {token} failed: access denied")  # noqa: TRY002  as the SDK does

    monkeypatch.setattr(pulumi.runtime, "invoke", refused)
    with pytest.raises(pulumi.RunError, match=r"organization/gpu-platform/test: given .*access denied.*stack output"):
        record(last_published)
