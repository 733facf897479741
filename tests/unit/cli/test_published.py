"""Labels that a running stack has published do not change: `check` says so before the engine does anything."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from cli.main import main
from gpuplatform.outputs import OUTPUT_NAME, describe
from gpuplatform.settings.settings import Settings
from gpuplatform.settings.source import Plain
from sandbox.engine import published
from tests.builders import ROOT, a_card, a_market, a_pool, a_slice_pool, settings_object, some_settings


def outputs_of(settings: Settings) -> dict[str, object]:
    return describe(settings, "https://cluster.example").as_plain()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "published.json").write_text(json.dumps(outputs_of(some_settings())), encoding="utf-8")
    return tmp_path


def checked(folder: Path, *flags: str, **overrides: Plain) -> tuple[int, str]:
    (folder / "now.yaml").write_text(yaml.safe_dump(settings_object(**overrides)), encoding="utf-8")
    result = CliRunner().invoke(main, ["check", "--settings", str(folder / "now.yaml"), *flags])
    return result.exit_code, result.output


def against_published(folder: Path, **overrides: Plain) -> tuple[int, str]:
    return checked(folder, "--published", str(folder / "published.json"), **overrides)


def test_what_changes_no_label_is_accepted(folder: Path) -> None:
    code, output = against_published(folder)
    assert code == 0, output


def test_a_pool_that_would_become_something_else_is_refused_with_the_way_to_do_it(folder: Path) -> None:
    code, output = against_published(folder, pools=[a_pool(purpose="dev")])

    assert code == 1
    assert "NodePool serve-l4-24gb-on-demand: spec.template.metadata.labels[gpu.pool]" in output
    assert "'infer' becomes 'dev'" in output
    assert "(rule gpu-labels-fixed)" in output
    assert "make a new pool under a new name" in output


def test_a_changed_label_is_told_together_with_what_the_rules_refuse(folder: Path) -> None:
    narrow = a_pool(purpose="dev", cards=[a_card(markets=[a_market("spot"), a_market("on-demand")])])
    code, output = against_published(folder, pools=[narrow])

    assert code == 1
    assert "gpu-labels-fixed" in output
    assert "spot-diverse" in output


def test_a_pool_under_a_new_name_is_a_new_pool(folder: Path) -> None:
    code, output = against_published(folder, pools=[a_pool(name="other", purpose="dev")])
    assert code == 0, output


def test_a_profile_may_change_because_its_layout_changes_with_it(folder: Path) -> None:
    before = some_settings(pools=[a_slice_pool()])
    (folder / "published.json").write_text(json.dumps(outputs_of(before)), encoding="utf-8")
    code, output = against_published(folder, pools=[a_slice_pool(sharing={"mig": "2g.20gb"})])
    assert code == 0, output


@pytest.mark.parametrize("text", ["{}", "[]", "no json", json.dumps({"version": 7})])
def test_a_file_that_is_no_published_document_is_wrong_usage(folder: Path, text: str) -> None:
    (folder / "published.json").write_text(text, encoding="utf-8")
    code, output = against_published(folder)
    assert code == 2
    assert "pulumi stack output platform --json" in output


def test_the_workflow_of_a_pull_request_previews_on_what_the_base_branch_has_published() -> None:
    whole = yaml.safe_load((ROOT / ".github" / "workflows" / "preview.yaml").read_text(encoding="utf-8"))
    commands = [step["run"] for step in whole["jobs"]["preview"]["steps"] if "run" in step]

    def place(words: str) -> int:
        (at,) = [number for number, command in enumerate(commands) if words in command]
        return at

    assert place("make -C ../base up") == place("mv ../base/.state .state")
    assert place("make setup") < place("make -C ../base up") < place("gpuplatform check") < place("make preview")


def test_the_guide_gives_the_steps_that_hold_a_pull_request_to_the_real_stack() -> None:
    guide = (ROOT / "docs" / "guides" / "admission.md").read_text(encoding="utf-8")
    assert f"pulumi stack output {OUTPUT_NAME} --json --stack prod > published.json" in guide
    assert "gpuplatform check --stack prod --published published.json" in guide


def test_a_stack_on_this_machine_is_read_from_its_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(published, "state", tmp_path.joinpath)
    file = published.state_file("dev")
    file.parent.mkdir(parents=True)
    root = {"type": "pulumi:pulumi:Stack", "outputs": {"platform": outputs_of(some_settings())}}
    file.write_text(json.dumps({"checkpoint": {"latest": {"resources": [root]}}}), encoding="utf-8")

    assert published.stack_output("dev", "platform") == outputs_of(some_settings())
    assert published.stack_output("dev", "another") is None
    assert published.stack_output("prod", "platform") is None


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"checkpoint": {"latest": null}}'])
def test_a_state_that_tells_nothing_is_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(published, "state", tmp_path.joinpath)
    file = published.state_file("dev")
    file.parent.mkdir(parents=True)
    file.write_text(text, encoding="utf-8")
    assert published.stack_output("dev", "platform") is None
