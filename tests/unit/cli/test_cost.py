"""The bill as a person, a program and a reviewer read it."""

from __future__ import annotations

import datetime
import json
import subprocess
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from cli.cost.statement import statement
from cli.cost.writing import as_json, as_markdown, as_text
from cli.main import main
from gpuplatform.settings.source import Plain
from tests.builders import STACKS, a_card, a_market, a_pool, settings_object, stack_settings

TODAY = datetime.date(2026, 11, 21)


def written(folder: Path, name: str, **overrides: Plain) -> Path:
    file = folder / name
    file.write_text(
        yaml.safe_dump({"config": {"gpu-platform:settings": settings_object(**overrides)}}), encoding="utf-8"
    )
    return file


def larger() -> list[Plain]:
    return [a_pool(cards=[a_card(markets=[a_market(ceiling_cards=16)])])]


def asked(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, ["cost", *arguments])
    return result.exit_code, result.output


@pytest.mark.parametrize("stack", STACKS)
def test_every_form_tells_the_same_total(stack: str) -> None:
    whole = statement(stack_settings(stack), TODAY)
    ceiling = whole.bill.ceiling_usd_per_month
    assert json.loads(as_json(whole))["monthly_ceiling_usd"] == pytest.approx(ceiling, abs=0.01)
    for text in (as_text(whole), as_markdown(whole)):
        assert f"{ceiling:,.0f}" in text
        assert "monthly_budget" in text or ", budget $" in text


def test_the_assumptions_stand_below_the_figures() -> None:
    output = as_text(statement(stack_settings("dev"), TODAY))
    assert "spot is priced at 0.40 of on demand (assumed, never looked up)" in output
    assert "30 % of each ceiling" in output
    assert "138 days old (2026-07-06)" in output
    assert "gp3-iops-above-3000" in output
    assert "138 days old" not in as_text(statement(stack_settings("dev"), datetime.date(2026, 7, 7)))


def test_a_change_is_told_against_an_earlier_file(tmp_path: Path) -> None:
    was, now = written(tmp_path, "was.yaml"), written(tmp_path, "now.yaml", pools=larger())
    for form in ("text", "markdown", "json"):
        code, output = asked("--settings", str(now), "--diff", str(was), "--format", form)
        assert code == 0
        assert "serve-l4-24gb-on-demand" in output
        assert "ceiling_cards 8" in output


def test_a_change_is_told_against_a_revision_of_the_same_file(tmp_path: Path) -> None:
    file = written(tmp_path, "Pulumi.dev.yaml")
    identity = ("-c", "user.name=a", "-c", "user.email=a@b.example")
    for command in (("init", "-q"), ("add", "."), (*identity, "commit", "-qm", "before")):
        subprocess.run(["git", "-C", str(tmp_path), *command], check=True)
    written(tmp_path, "Pulumi.dev.yaml", pools=larger())

    code, output = asked("--settings", str(file), "--diff", "HEAD", "--format", "markdown")

    assert code == 0, output
    assert "### Cost: +" in output
    assert "ceiling_cards 8 → 16" in output


def test_a_base_that_is_nothing_is_wrong_usage(tmp_path: Path) -> None:
    code, output = asked("--settings", str(written(tmp_path, "now.yaml")), "--diff", "nowhere")
    assert code == 2
    assert "neither a file nor a git revision" in output


def test_refused_settings_have_no_bill(tmp_path: Path) -> None:
    code, output = asked("--settings", str(written(tmp_path, "now.yaml", cost={"monthly_budget_usd": 1})))
    assert code == 1
    assert "cost.monthly_budget_usd" in output


def test_nothing_moves_where_nothing_changes(tmp_path: Path) -> None:
    file = str(written(tmp_path, "now.yaml"))
    assert asked("--settings", file, "--diff", file) == (0, "the cost does not change\n")
