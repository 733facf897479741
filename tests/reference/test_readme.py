"""The README's figures are those that the code computes."""

from __future__ import annotations

import re

import pytest

from gpuplatform.accept import check_file
from gpuplatform.proofs.cost.bill import bill
from tests.builders import ROOT, stack_file

SAID = re.compile(r"(?P<stack>dev|staging|prod) about \$(?P<usd>[\d,]+)")
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
FIGURES = {each["stack"]: int(each["usd"].replace(",", "")) for each in SAID.finditer(TEXT)}


def test_the_readme_says_what_dev_and_staging_cost_at_rest() -> None:
    assert set(FIGURES) >= {"dev", "staging"}


@pytest.mark.parametrize("stack", FIGURES)
def test_a_stack_s_cost_at_rest_is_the_computed_one_to_two_digits(stack: str) -> None:
    draft = check_file(stack_file(stack)).draft
    assert draft is not None
    found = bill(draft)
    assert found is not None
    assert float(f"{found.floor_usd_per_month:.1e}") == FIGURES[stack]
