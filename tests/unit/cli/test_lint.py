"""``gpuplatform lint``: what it reads, how it answers, and its exit codes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cli.lint import lint

ROOT = Path(__file__).resolve().parents[3]
FIXTURES = ROOT / "tests" / "policies" / "lint" / "fixtures"
BAD = FIXTURES / "22-quota-without-prefix.yaml"
PINNED = """\
apiVersion: v1
kind: Pod
metadata: {name: a, namespace: ml-serving}
spec:
  runtimeClassName: nvidia
  priorityClassName: inference-critical
  nodeSelector: {gpu.pool: infer, gpu.role: worker, gpu.mig: disabled, gpu.model: H200}
  tolerations:
    - {key: nvidia.com/gpu, operator: Exists}
    - {key: dedicated, operator: Exists}
    - {key: gpu.pool, value: infer}
  containers:
    - name: main
      resources: {limits: {nvidia.com/gpu: 1}}
"""


def run(*words: str | Path, stdin: str | None = None) -> Result:
    return CliRunner().invoke(lint, [str(word) for word in words], input=stdin)


def test_the_examples_have_no_finding() -> None:
    result = run(ROOT / "examples")
    files = len(list((ROOT / "examples").rglob("*.yaml")))
    assert files >= 4
    assert result.exit_code == 0, result.output
    assert re.fullmatch(rf"{files} files, \d+ objects: no findings\n", result.output)


@pytest.mark.parametrize(
    "name", ["inference-whole-card", "notebook-shared-card", "slice-worker", "training-distributed"]
)
def test_the_examples_have_no_finding_against_their_stack(name: str) -> None:
    result = run(ROOT / "examples" / "workloads" / f"{name}.yaml", "--stack", "dev")
    assert result.exit_code == 0, result.output


def test_a_finding_is_exit_code_one_and_carries_the_object() -> None:
    result = run(BAD, "--format", "json")
    assert result.exit_code == 1
    (finding,) = json.loads(result.output)["findings"]
    assert (finding["kind"], finding["namespace"], finding["name"]) == ("ResourceQuota", "ml-serving", "cards")
    assert (finding["rule"], finding["line"]) == ("quota-keys", 10)


def test_a_directory_is_read_to_its_leaves_in_order_and_only_its_yaml(tmp_path: Path) -> None:
    text = BAD.read_text(encoding="utf-8")
    for name in ("b/c.yml", "a.yaml", "b/a.yaml", "notes.txt", ".git/x.yaml", ".hidden/d.yaml"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    report = json.loads(run(tmp_path, "--format", "json").output)
    read = [Path(finding["file"]).relative_to(tmp_path).as_posix() for finding in report["findings"]]
    assert read == ["a.yaml", ".hidden/d.yaml", "b/a.yaml", "b/c.yml"]
    assert report["files"] == 4


def test_a_file_that_is_named_is_read_whatever_its_ending(tmp_path: Path) -> None:
    path = tmp_path / "rendered"
    path.write_text(BAD.read_text(encoding="utf-8"), encoding="utf-8")
    assert run(path).exit_code == 1


def test_a_directory_may_hold_what_is_no_manifest_and_a_file_that_is_named_may_not(tmp_path: Path) -> None:
    values = tmp_path / "values.yaml"
    values.write_text("replicas: 3\n", encoding="utf-8")
    assert run(tmp_path).exit_code == 0
    assert run("-", stdin="replicas: 3\n").exit_code == 1
    result = run(values)
    assert result.exit_code == 1
    assert "values.yaml:1: manifest (high)" in result.output


def test_standard_input_is_read() -> None:
    result = run("-", stdin=BAD.read_text(encoding="utf-8"))
    assert result.exit_code == 1
    assert result.output.startswith("-:10: ResourceQuota ml-serving/cards: quota-keys (high)")
    assert run("-", stdin="").exit_code == 0


def test_with_a_stack_a_pod_is_held_to_it() -> None:
    assert run("-", stdin=PINNED).exit_code == 0
    for more in (("--stack", "dev"), ("--settings", ROOT / "Pulumi.dev.yaml")):
        result = run("-", *more, stdin=PINNED)
        assert result.exit_code == 1
        assert "pod-reaches-one-pool" in result.output


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("no/such/path",),
        (BAD, "no/such/path"),
        (BAD, "--stack", "nowhere"),
        (BAD, "--stack", "dev", "--settings", "Pulumi.dev.yaml"),
        (BAD, "--format", "xml"),
    ],
)
def test_misuse_is_exit_code_two(words: tuple[str | Path, ...]) -> None:
    assert run(*words).exit_code == 2


def test_a_refused_stack_is_reported_and_nothing_is_judged(tmp_path: Path) -> None:
    settings = tmp_path / "bad.yaml"
    settings.write_text("environment: 5\n", encoding="utf-8")
    result = run(BAD, "--settings", settings)
    assert result.exit_code == 1
    assert "refused" in result.stderr


@pytest.mark.parametrize("output", ["text", "json", "sarif", "github"])
def test_every_format_is_written_with_and_without_findings(output: str) -> None:
    assert run(BAD, "--format", output).exit_code == 1
    assert run(ROOT / "examples", "--format", output).exit_code == 0


def test_the_hook_and_the_workflow_run_the_command() -> None:
    assert "entry: gpuplatform lint" in (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    workflow = (ROOT / "examples" / "ci" / "gpu-lint.yaml").read_text(encoding="utf-8")
    assert 'gpuplatform lint "$MANIFESTS"' in workflow
