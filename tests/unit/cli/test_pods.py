"""``gpuplatform pods``: where each pod of a file lands, and its exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cli.pods import pods

ROOT = Path(__file__).resolve().parents[3]
SERVER = ROOT / "examples" / "workloads" / "inference-whole-card.yaml"


def run(*words: str | Path, stdin: str | None = None) -> Result:
    return CliRunner().invoke(pods, [str(word) for word in words], input=stdin)


def changed(old: str, new: str) -> Result:
    text = SERVER.read_text(encoding="utf-8")
    assert old in text
    return run("-", "--stack", "dev", stdin=text.replace(old, new))


def test_a_pod_that_lands_is_told_in_the_order_in_which_it_is_tried_with_types_and_prices() -> None:
    result = run(SERVER, "--stack", "dev")
    assert result.exit_code == 0
    title, first, *rest = result.output.splitlines()
    assert title == "Deployment ml-serving/chat, spec.template.spec: lands on the pool infer"
    assert first.startswith("  first infer-l4-24gb-spot (weight 100): g6.xlarge, g6.2xlarge, $")
    assert [line.split()[1] for line in rest[-3:]] == [
        f"infer-{card}-on-demand" for card in ("l4-24gb", "a10g-24gb", "t4-16gb")
    ]


def test_what_keeps_a_pod_away_is_told_exactly() -> None:
    result = changed("gpu.mig: disabled", "gpu.mig: disabled\n        gpu.model: H200")
    assert result.exit_code == 1
    assert "lands on no pool" in result.output
    assert "selects gpu.model=H200, and its nodes have gpu.model=L4" in result.output
    missing = changed("- key: dedicated\n", "- key: dedicate\n")
    assert missing.exit_code == 1
    assert "no toleration of the taint dedicated=gpu:NoSchedule" in missing.output


def test_the_cpu_that_no_type_has_is_told() -> None:
    result = changed('cpu: "2"', 'cpu: "900"')
    assert result.exit_code == 1
    assert "asks for 900000m of cpu" in result.output


def test_json_carries_the_object_the_price_and_every_obstacle() -> None:
    result = run(SERVER, "--stack", "dev", "--format", "json")
    (pod,) = json.loads(result.output)["pods"]
    assert (pod["kind"], pod["namespace"], pod["name"], pod["lands_where_it_says"]) == (
        "Deployment",
        "ml-serving",
        "chat",
        True,
    )
    first = pod["node_pools"][0]
    assert (first["name"], first["weight"], first["static"]) == ("infer-l4-24gb-spot", 100, False)
    assert 0 < first["usd_per_hour"][0] <= first["usd_per_hour"][1]
    train = next(node_pool for node_pool in pod["kept_from"] if node_pool["pool"] == "train")
    assert any("gpu.pool=train:NoSchedule" in obstacle for obstacle in train["by"])


def test_a_pod_without_a_card_may_land_anywhere() -> None:
    pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: a}]}\n"
    result = run("-", "--stack", "dev", stdin=pod)
    assert result.exit_code == 0
    assert "first cpu" in result.output


def test_an_unselective_pod_with_a_card_lands_nowhere() -> None:
    pod = (
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n"
        "  tolerations: [{key: nvidia.com/gpu, operator: Exists}, {key: dedicated, operator: Exists}]\n"
        "  containers: [{name: a, resources: {limits: {nvidia.com/gpu: 1}}}]\n"
    )
    result = run("-", "--stack", "prod", stdin=pod)
    assert result.exit_code == 1
    assert "no toleration of the taint gpu.pool=" in result.output


def test_a_pod_that_lands_on_several_pools_does_not_land_where_it_says() -> None:
    pod = (
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n"
        "  tolerations: [{operator: Exists}]\n  containers: [{name: a, resources: {limits: {nvidia.com/gpu: 1}}}]\n"
    )
    result = run("-", "--stack", "dev", stdin=pod)
    assert result.exit_code == 1
    assert "pools (infer, dev, train) instead of one:" in result.output


def test_a_pod_that_lands_on_a_pool_of_others_is_told_whose_pools_are_its_own() -> None:
    result = changed("namespace: ml-serving", "namespace: ml-notebook")
    assert result.exit_code == 1
    assert "spec.template.spec: may land on infer, but ml-notebook may use only dev:" in result.output
    text = SERVER.read_text(encoding="utf-8").replace("namespace: ml-serving", "namespace: ml-notebook")
    (pod,) = json.loads(run("-", "--stack", "dev", "--format", "json", stdin=text).output)["pods"]
    assert (pod["pools_outside"], pod["lands_where_it_says"]) == (["infer"], False)


def test_a_static_pool_s_nodes_are_there_already() -> None:
    pod = (
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n"
        "  nodeSelector: {gpu.pool: train, gpu.role: chief}\n  tolerations: [{operator: Exists}]\n"
        "  containers: [{name: a, resources: {limits: {nvidia.com/mig-3g.40gb: 1}}}]\n"
    )
    result = run("-", "--stack", "dev", stdin=pod)
    assert result.exit_code == 0
    assert "static, 1 node is up" in result.output


def test_what_cannot_be_judged_is_said() -> None:
    broken = changed('cpu: "2"', "cpu: plenty")
    assert broken.exit_code == 1
    assert "cannot be judged: a resource quantity is invalid" in broken.output
    assert run("-", "--stack", "dev", stdin="a: [").exit_code == 1
    nothing = run("-", "--stack", "dev", stdin="apiVersion: v1\nkind: Service\n")
    assert (nothing.exit_code, nothing.output) == (0, "the file has no pod and no object that creates one\n")


@pytest.mark.parametrize(
    "words",
    [(), (SERVER,), ("no/such/file", "--stack", "dev"), (ROOT, "--stack", "dev"), (SERVER, "--stack", "nowhere")],
)
def test_misuse_is_exit_code_two(words: tuple[str | Path, ...]) -> None:
    assert run(*words).exit_code == 2
