"""Earlier settings by file and by git revision: what `check --was` and `cost --diff` report about the change."""

from __future__ import annotations

import json
from pathlib import Path
from typing import cast

import pytest
from click.testing import CliRunner

from cli.main import main
from gpuplatform.settings.source import Plain
from tests.builders import ROOT
from tests.history import STACK, History

RENAMED = ("- name: train\n        purpose", "- name: learn\n        purpose")
VERSIONS = "gpuplatform/standard/versions.py"
STARTS_PYTHON = pytest.mark.slow
"""A revision is read by its own code, in a process; one such test stays in `make quick`."""


@pytest.fixture
def history(tmp_path: Path) -> History:
    return History(tmp_path / "repository")


def asked(*arguments: str) -> tuple[int, str]:
    shown = CliRunner().invoke(main, list(arguments))
    return shown.exit_code, shown.output


def checked(history: History, *more: str, was: str = "HEAD") -> tuple[int, str]:
    return asked("check", "--settings", str(history.stack), "--was", was, *more)


def against_the_file(history: History, *more: str) -> tuple[int, str]:
    """The same against the file that the history began with, which is quicker than a revision."""
    return checked(history, *more, was=str(ROOT / STACK))


def test_a_raised_kubernetes_names_what_is_replaced_and_leaves_nothing_behind(
    history: History, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    history.edit(STACK, ('version: "1.35"', 'version: "1.36"'))

    code, output = checked(history)

    assert code == 0, output
    assert "cluster.version: 1.35 becomes 1.36" in output
    assert "node groups whose nodes are replaced during the `up`, one node at a time: system:" in output
    assert (
        "nodes of worker-a100-80gb-on-demand, train-a100-40gb-on-demand are replaced, Sat, Sun 02:00 to 08:00" in output
    )
    assert "add-ons changed in place: kube-proxy:" in output
    assert "no running node" not in output
    assert history.worktrees() == 1
    assert list(scratch.iterdir()) == []


@STARTS_PYTHON
def test_a_downgrade_is_refused_and_told_all_the_same(history: History) -> None:
    history.edit(STACK, ('version: "1.35"', 'version: "1.34"'))
    code, output = checked(history)
    assert code == 1
    assert "EKS does not take a cluster back to an earlier minor" in output
    assert "nodes of cpu, cpu-arm64, inferentia are replaced" in output


def test_two_minors_at_once_are_refused(history: History) -> None:
    earlier = history.folder / "earlier.yaml"
    earlier.write_text(history.stack.read_text(encoding="utf-8").replace('"1.35"', '"1.34"'), encoding="utf-8")
    history.edit(STACK, ('version: "1.35"', 'version: "1.36"'))
    code, output = checked(history, was=str(earlier))
    assert code == 1
    assert "1.34 or 1.35: EKS raises a control plane by one minor at a time" in output


def test_a_renamed_pool_is_refused_and_names_the_examples_that_it_strands(history: History) -> None:
    history.edit(STACK, RENAMED)
    code, output = against_the_file(history, "--workloads", str(ROOT / "examples"))
    assert code == 1
    assert "pools[train]" in output
    assert "examples/workloads/finetune-single-card.yaml: Job ml-training/finetune" in output
    assert "examples/workloads/training-distributed.yaml: Job ml-training/pretrain" in output
    assert "slice-worker" not in output


def test_a_break_that_is_allowed_warns_in_the_same_words(history: History) -> None:
    history.edit(STACK, RENAMED)
    code, output = against_the_file(history, "--allow-breaking")
    assert code == 0, output
    assert "warning: pools[train]: a change after which its published block reaches learn" in output
    assert "finetune-single-card.yaml: Job ml-training/finetune" in output


@STARTS_PYTHON
def test_a_raised_pin_is_seen_between_revisions(history: History) -> None:
    text = (history.folder / VERSIONS).read_text(encoding="utf-8")
    karpenter = text.split('Pin("karpenter", "')[1].split('"')[0]
    image = text.split('AL2023_IMAGE = Pin("al2023", "')[1].split('"')[0]
    history.edit(VERSIONS, (f'Pin("karpenter", "{karpenter}"', 'Pin("karpenter", "1.0.0"'), (image, "v20250101"))
    history.commit()

    code, output = checked(history)

    assert code == 0, output
    assert "releases upgraded: karpenter-crd, karpenter:" in output
    assert f"version: 1.0.0 becomes {karpenter}" in output
    assert "read docs/guides/upgrade.md, Karpenter" in output
    assert f"node image: al2023@v20250101 becomes al2023@{image}" in output


def test_a_file_says_that_the_same_pins_are_assumed(history: History) -> None:
    code, output = against_the_file(history)
    assert code == 0
    assert "the comparison assumes the same charts, add-ons and node images" in output
    assert "no running node is replaced by this change" in output


def test_a_file_wins_over_a_revision_of_its_name(
    history: History, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("HEAD").write_text(history.stack.read_text(encoding="utf-8"), encoding="utf-8")
    assert "HEAD is a file, not a revision" in checked(history)[1]


def test_what_is_neither_is_wrong_usage(history: History) -> None:
    code, output = checked(history, was="nowhere")
    assert code == 2
    assert "--was nowhere: this is neither a file nor a git revision" in output


def test_a_word_that_git_would_take_for_an_option_is_wrong_usage(history: History) -> None:
    assert checked(history, was="--all")[0] == 2


@STARTS_PYTHON
@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("from pathlib import Path", "raise SystemExit('out of order')", "out of order"),
        ("def check_file", "def check_some_file", "cannot import name 'check_file'"),
    ],
)
def test_a_revision_whose_code_cannot_render_says_what_cannot_be_known(
    history: History, old: str, new: str, reason: str
) -> None:
    history.edit("gpuplatform/accept.py", (old, new))
    history.commit()

    code, output = checked(history)

    assert code == 0, output
    (unknown,) = [line for line in output.splitlines() if line.startswith("not known: ")]
    assert unknown.startswith("not known: pins of HEAD cannot be read: ")
    assert reason in unknown
    assert unknown.endswith("only the settings are compared")
    assert "no running node is replaced" not in output


@STARTS_PYTHON
def test_a_revision_without_a_part_names_that_part_alone_whatever_the_callers_python_path(
    history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    history.edit(VERSIONS, ("def node_release(", "def some_release("))
    history.commit()
    output = checked(history)[1]
    assert "not known: the earlier image of node groups: ImportError" in output
    assert "pins of HEAD cannot be read" not in output
    assert "gpuplatform-was-" not in output


@STARTS_PYTHON
def test_other_code_for_aws_is_said_to_be_unknown(history: History) -> None:
    components = history.folder / "components"
    components.mkdir()
    (components / "network.py").write_text("FIRST = 1\n", encoding="utf-8")
    history.commit()
    (components / "network.py").write_text("SECOND = 2\n", encoding="utf-8")
    output = checked(history)[1]
    assert "not known: AWS resources are not compared: components, __main__.py differ from those of HEAD" in output
    assert "no running node is replaced" not in output


@STARTS_PYTHON
def test_another_file_is_held_against_its_environments_stack(history: History) -> None:
    raised = history.folder / "raised.yaml"
    text = history.stack.read_text(encoding="utf-8")
    raised.write_text(text.replace('version: "1.35"', 'version: "1.36"'), encoding="utf-8")
    code, output = asked("check", "--settings", str(raised), "--was", "HEAD")
    assert code == 0, output
    assert f"note: HEAD has no raised.yaml: its {STACK} is compared" in output
    assert "cluster.version: 1.35 becomes 1.36" in output


def test_refused_settings_get_their_change_all_the_same(history: History) -> None:
    history.edit(STACK, ("monthly_budget_usd: 150000", "monthly_budget_usd: 1"), ('version: "1.35"', 'version: "1.36"'))
    code, output = against_the_file(history)
    assert code == 1
    assert "cost.monthly_budget_usd" in output
    assert "cluster.version: 1.35 becomes 1.36" in output


def test_settings_that_are_wrong_in_form_are_compared_without_what_is_wrong(history: History) -> None:
    history.edit(STACK, ("nodes_at_once: 2", "nodes_at_once: many"), ('version: "1.35"', 'version: "1.36"'))
    code, output = against_the_file(history)
    assert code == 1
    assert "not known: parts of the new settings that cannot be read: pools[infer].disruption.nodes_at_once" in output
    assert "cluster.version: 1.35 becomes 1.36" in output


def test_earlier_settings_that_are_refused_are_compared_as_far_as_they_go(history: History) -> None:
    earlier = history.folder / "earlier.yaml"
    text = history.stack.read_text(encoding="utf-8")
    earlier.write_text(text.replace("monthly_budget_usd: 150000", "monthly_budget_usd: 1"), encoding="utf-8")
    history.edit(STACK, ('version: "1.35"', 'version: "1.36"'))
    code, output = checked(history, was=str(earlier))
    assert code == 0, output
    assert "today's code refuses the earlier settings (cost.monthly_budget_usd" in output
    assert "cluster.version: 1.35 becomes 1.36" in output


def test_json_carries_the_same_facts(history: History) -> None:
    history.edit(STACK, RENAMED, ('version: "1.35"', 'version: "1.36"'))
    code, output = against_the_file(history, "--format", "json")
    assert code == 1
    document = cast("dict[str, Plain]", json.loads(output))
    change = cast("dict[str, list[dict[str, Plain]]]", document["change"])
    fates = {(effect["thing"], effect["name"]): effect["fate"] for effect in change["effects"]}
    assert fates["cluster", "gpu-dev"] == "changed"
    assert fates["node group", "system"] == "rolled"
    assert fates["NodePool", "cpu"] == "replaced"
    assert "cpu" in cast("list[str]", document["replaced_nodepools"])
    (lost,) = change["lost_pools"]
    assert (lost["name"], lost["block_reaches"]) == ("train", ["learn"])
    assert {"platform.pools.train is gone", "platform.pools.learn is new"} <= set(cast("list[str]", change["contract"]))


def test_a_manifest_that_cannot_be_read_is_named(history: History, tmp_path: Path) -> None:
    manifest = tmp_path / "broken.yaml"
    manifest.write_text("kind: [", encoding="utf-8")
    assert (
        f"not known: workloads of {manifest.as_posix()}: " in against_the_file(history, "--workloads", str(manifest))[1]
    )
    assert against_the_file(history, "--workloads", str(tmp_path / "nowhere"))[0] == 2


def test_options_about_a_change_need_one(history: History) -> None:
    for option in (("--allow-breaking",), ("--workloads", str(ROOT / "examples"))):
        code, output = asked("check", "--settings", str(history.stack), *option)
        assert code == 2
        assert "give --was too" in output


@STARTS_PYTHON
def test_the_bill_is_compared_by_the_same_words(history: History) -> None:
    history.edit(STACK, ("{market: on-demand, ceiling_cards: 24}", "{market: on-demand, ceiling_cards: 32}"))
    code, output = asked("cost", "--settings", str(history.stack), "--diff", "HEAD")
    assert code == 0, output
    assert "ceiling_cards 24 → 32" in output
    code, output = asked("cost", "--settings", str(history.stack), "--diff", "nowhere")
    assert code == 2
    assert "--diff nowhere: this is neither a file nor a git revision" in output


def test_an_interrupt_leaves_nothing_behind(history: History, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("cli.comparison.change_report.earlier_stack", interrupted)
    assert checked(history)[0] == 1
    assert list(scratch.iterdir()) == []
    assert history.worktrees() == 1
