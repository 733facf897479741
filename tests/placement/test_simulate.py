"""``gpuplatform simulate`` on the real Karpenter: where the examples land, and why other workloads do not."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner, Result

from cli.simulate.command import simulate
from gpuplatform.render.document import as_yaml
from sandbox.cluster import ClusterCommands

pytestmark = [pytest.mark.placement, pytest.mark.xdist_group("simulate")]
"""A group of its own: each simulation has its own cluster, so another worker can run these tests."""

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "workloads"


@pytest.fixture(autouse=True)
def tools(cluster_commands: ClusterCommands) -> None:
    """Skip these tests, or fail them where they are required, when the tools are not built."""


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(simulate, [*(str(word) for word in words), "--stack", "dev"])


def documents(name: str) -> list[Any]:
    return list(yaml.safe_load_all((EXAMPLES / name).read_text(encoding="utf-8")))


def file_of(*objects: Any, folder: Path) -> Path:
    path = folder / "workloads.yaml"
    path.write_text("\n---\n".join(as_yaml(document) for document in objects), encoding="utf-8")
    return path


def test_examples_land_on_the_pools_that_they_name_and_advice_holds_in_a_trial() -> None:
    result = run(EXAMPLES, "--format", "json", "--drift", "chief", "--at", "Tue 10:30 Asia/Seoul")
    assert result.exit_code == 0, result.output
    answer = json.loads(result.stdout)
    landed = {placement["name"]: placement["pool"] for placement in answer["placements"]}
    for path in EXAMPLES.glob("*.yaml"):
        pool = path.read_text(encoding="utf-8").partition("pool: ")[2].split()[0]
        names = {document["metadata"]["name"] for document in documents(path.name)}
        assert {landed[name] for name in names & landed.keys()} == {pool}, path.name
    assert answer["unplaced"] == []
    assert answer["usd_per_hour"] == pytest.approx(
        answer["idle_usd_per_hour"] + sum(placement["usd_per_hour"] for placement in answer["placements"]), abs=1e-3
    )
    assert answer["after"]["nodes_lost"] == [], "the chief's window is on Sunday"
    assert any("blocking budget" in reason for reason in answer["after"]["held"])
    for advice in answer["advice"]:
        assert advice["usd_per_hour"] == pytest.approx(answer["usd_per_hour"] - advice["saves_usd_per_hour"], abs=1e-3)
    assert answer["advice"], "a slice worker alone on eight cards has something cheaper"


def test_a_wrong_label_a_full_quota_and_an_exhausted_market_are_each_explained(tmp_path: Path) -> None:
    chat = documents("inference-whole-card.yaml")
    wrong = next(document for document in documents("inference-whole-card.yaml") if document["kind"] == "Deployment")
    wrong["metadata"]["name"] = "wrong"
    wrong["spec"]["replicas"] = 1
    wrong["spec"]["template"]["spec"]["nodeSelector"]["gpu.model"] = "l5"
    greedy = next(document for document in documents("slice-worker.yaml") if document["kind"] == "Job")
    greedy["spec"] |= {"parallelism": 500, "completions": 500}
    path = file_of(*chat, wrong, greedy, folder=tmp_path)

    result = run(path, "--format", "json", "--without", "g6,g5,spot")

    assert result.exit_code == 1
    answer = json.loads(result.stdout)
    kinds = Counter(
        (placement["name"], placement["instance_type"], placement["market"]) for placement in answer["placements"]
    )
    assert ("chat", "g4dn.xlarge", "on-demand") in kinds, "the ladder's last step"
    unplaced = {row["name"]: row for row in answer["unplaced"]}
    assert any("gpu.model=l5" in line for line in unplaced["wrong"]["why"])
    assert "gpuplatform block --stack dev" in unplaced["wrong"]["change"]
    assert any("exceeded quota" in line or "ceiling" in line for line in unplaced["embed"]["why"])


def test_claims_affinities_quotas_defaults_and_nodes_that_are_not_there_are_each_told_apart(tmp_path: Path) -> None:
    def chat(name: str, replicas: int, **spec: object) -> Any:
        deployment = next(
            document for document in documents("inference-whole-card.yaml") if document["kind"] == "Deployment"
        )
        deployment["metadata"]["name"] = name
        deployment["spec"] |= {"replicas": replicas, "selector": {"matchLabels": {"app": name}}}
        deployment["spec"]["template"]["metadata"]["labels"] = {"app": name}
        deployment["spec"]["template"]["spec"] |= spec
        return deployment

    claim = chat("claim", 1)
    volume = {"name": "weights", "persistentVolumeClaim": {"claimName": "weights"}}
    claim["spec"]["template"]["spec"]["volumes"].append(volume)
    lonely = [{"labelSelector": {"matchLabels": {"app": "nobody"}}, "topologyKey": "kubernetes.io/hostname"}]
    pod = chat("sneaky", 1, nodeName="nowhere")["spec"]["template"]
    sneaky = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "sneaky", "namespace": "ml-serving"}}
    half = next(document for document in documents("slice-worker.yaml") if document["kind"] == "Job")
    half["metadata"]["name"] = "half"
    del half["spec"]["template"]["spec"]["containers"][0]["resources"]["limits"]["memory"]
    path = file_of(
        claim,
        half,
        chat("lonely", 1, affinity={"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": lonely}}),
        chat("greedy", 40),
        {**sneaky, "spec": pod["spec"]},
        folder=tmp_path,
    )

    result = run(path, "--format", "json")

    assert result.exit_code == 1
    assert result.stdout, result.stderr
    answer = json.loads(result.stdout)
    assert answer["not_settled"] == [], "nothing is waited for that will not come"
    unplaced = answer["unplaced"]
    assert Counter(row["name"] for row in unplaced) == Counter(("claim", "half", "lonely", "greedy", "sneaky"))
    by_name = {row["name"]: row for row in unplaced}
    assert by_name["claim"]["change"].startswith("apply the claim")
    assert by_name["lonely"]["change"].startswith("make the affinity preferred")
    assert by_name["sneaky"]["change"].startswith("remove nodeName")
    assert "less than or equal to memory limit" in by_name["half"]["why"][0]
    assert len(by_name["greedy"]["why"]) == 1
    assert by_name["greedy"]["why"][0].startswith("exceeded quota")


def test_what_the_api_server_refuses_is_said_object_by_object(tmp_path: Path) -> None:
    chat = next(document for document in documents("inference-whole-card.yaml") if document["kind"] == "Deployment")
    chat["spec"]["replicas"] = "many"
    stray = next(document for document in documents("inference-whole-card.yaml") if document["kind"] == "Service")
    stray["metadata"]["namespace"] = "nowhere"
    result = run(file_of(chat, stray, folder=tmp_path))
    assert result.exit_code == 1
    assert "replicas" in result.stderr
    assert "nowhere" in result.stderr
    assert "Traceback" not in result.output


def test_a_file_that_is_no_yaml_starts_nothing(tmp_path: Path) -> None:
    path = tmp_path / "broken.yaml"
    path.write_text("kind: [", encoding="utf-8")
    result = run(path)
    assert result.exit_code == 1
    assert "broken.yaml" in result.stderr
    assert "control plane" not in result.stderr
