"""The examples of the guides are accepted when a reader pastes them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest
import yaml
from click.testing import CliRunner

from cli.main import main
from gpuplatform.accept import check
from gpuplatform.faults import errors
from gpuplatform.settings.source import Plain, read

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("guides/add-a-pool.md", "guides/add-a-tenant.md", "guides/dra.md", "guides/migrate-labels.md")


def pasted(page: str) -> Iterator[dict[str, Plain]]:
    for block in re.findall(r"```yaml\n(.*?)```", (ROOT / "docs" / page).read_text(), re.DOTALL):
        yield cast(dict[str, Plain], yaml.safe_load(block))


def merged(into: Plain, new: Plain) -> Plain:
    """Lists grow, mappings are merged, everything else is replaced."""
    if isinstance(into, list) and isinstance(new, list):
        return into + new
    if isinstance(into, dict) and isinstance(new, dict):
        return into | {key: merged(into.get(key), value) for key, value in new.items()}
    return new


@pytest.mark.parametrize("page", PAGES)
def test_what_a_guide_pastes_into_dev_is_accepted(page: str) -> None:
    settings, faults = read(ROOT / "Pulumi.dev.yaml")
    assert faults == []
    blocks = list(pasted(page))
    assert blocks
    for block in blocks:
        settings = merged(settings, block)
    assert errors(check(settings).faults) == []


def test_the_guides_pool_is_refused_without_its_taint_as_the_guide_says() -> None:
    settings, _ = read(ROOT / "Pulumi.dev.yaml")
    block = next(pasted("guides/add-a-pool.md"))
    pool = cast(dict[str, Plain], cast(list[Plain], block["pools"])[0])
    del pool["taints"]
    (refused,) = errors(check(merged(settings, block)).faults)
    assert "reaches the NodePool embed-" in refused.given


def test_the_readme_names_the_two_commands_of_a_newcomer_first() -> None:
    fenced = re.findall(r"^```[a-z]*\n(.*?)^```", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    commands = [line for block in fenced for line in block.splitlines() if line.startswith("make ")]
    assert commands[:2] == ["make up STACK=dev", "make test"]


def test_the_readme_s_manifests_have_no_findings_on_the_stack_that_it_names(monkeypatch: pytest.MonkeyPatch) -> None:
    line = next(line for line in (ROOT / "README.md").read_text().splitlines() if "/gpuplatform lint " in line)
    monkeypatch.chdir(ROOT)
    result = CliRunner().invoke(main, shlex.split(line, comments=True)[1:])
    assert result.exit_code == 0, result.output
