"""The pack and the program read the standard independently: the rendered objects of the three stacks pass."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuplatform.accept import check_file
from gpuplatform.render.stack import Rendered, render
from policies.judge import judge
from policies.subject import of_document, of_release

PROJECT = Path(__file__).parents[2]
STACKS = sorted(path.name.split(".")[1] for path in PROJECT.glob("Pulumi.*.yaml"))


def rendered(stack: str) -> Rendered:
    settings = check_file(PROJECT / f"Pulumi.{stack}.yaml").settings
    assert settings is not None, f"the stack {stack} is accepted"
    return render(settings)


def test_there_are_three_stacks() -> None:
    assert STACKS == ["dev", "prod", "staging"]


@pytest.mark.parametrize("stack", STACKS)
def test_everything_that_a_stack_renders_passes_the_pack(stack: str) -> None:
    documents = rendered(stack)
    subjects = [of_document(document) for document in documents.documents]
    subjects += [of_release(chart, values) for chart, values in documents.values.items()]
    assert judge(subjects) == []
