"""The README's figures are the ones that the code computes."""

from __future__ import annotations

import re

import pytest

from gpuplatform.accept import check_file
from gpuplatform.analysis.cost.bill import bill
from tests.builders import ROOT, stack_file

SAID = re.compile(r"(?P<stack>dev|staging|prod) about \$(?P<usd>[\d,]+)")
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
FIGURES = {match["stack"]: int(match["usd"].replace(",", "")) for match in SAID.finditer(TEXT)}


def test_the_readme_says_what_dev_and_staging_cost_at_rest() -> None:
    assert set(FIGURES) >= {"dev", "staging"}


@pytest.mark.parametrize("stack", FIGURES)
def test_a_stack_s_cost_at_rest_is_the_computed_one_to_two_digits(stack: str) -> None:
    partial_settings = check_file(stack_file(stack)).partial_settings
    assert partial_settings is not None
    computed = bill(partial_settings)
    assert computed is not None
    assert float(f"{computed.floor_usd_per_month:.1e}") == FIGURES[stack]
