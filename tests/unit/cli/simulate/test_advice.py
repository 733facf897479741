"""Which changes are tried, and what a trial must show before it becomes advice."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import yaml

from cli.simulate.advice import Suggestion, suggestions, trials
from gpuplatform.accept import check_file
from gpuplatform.render.document import Document
from gpuplatform.settings.settings import Settings
from gpuplatform.standard.markets import Market
from sandbox.cluster import Node
from sandbox.errors import SandboxError
from sandbox.simulate.owners import Workload
from sandbox.simulate.snapshot import PodState, Snapshot

ROOT = Path(__file__).parents[4]
EMBED = Workload("Job", "ml-training", "embed")
CHAT = Workload("Deployment", "ml-serving", "chat")
SLICE = "nvidia.com/mig-1g.10gb"


@pytest.fixture(scope="module")
def dev() -> Settings:
    settings = check_file(ROOT / "Pulumi.dev.yaml").settings
    assert settings is not None
    return settings


def written(name: str) -> tuple[Document, ...]:
    workloads = yaml.safe_load_all((ROOT / "examples" / "workloads" / name).read_text(encoding="utf-8"))
    return tuple(workloads)


def node(name: str, nodepool: str, kind: str, usd_per_hour: float, **offers: str) -> Node:
    return Node(name, nodepool, kind, "us-east-1a", Market.ON_DEMAND, usd_per_hour, offers)


def slices(pods: int, usd_per_hour: float = 27.44705) -> Snapshot:
    """So many slice workers on one p4de.24xlarge."""
    requests = {SLICE: Fraction(1), "cpu": Fraction(2)}
    return Snapshot(
        pods=tuple(PodState(EMBED, f"embed-{number}", "one", requests, "", "") for number in range(pods)),
        missing_pods=(),
        nodes=(node("one", "worker-a100-80gb-on-demand", "p4de.24xlarge", usd_per_hour, cpu="95", **{SLICE: "56"}),),
        exhausted_node_pools=frozenset(),
    )


def test_a_few_slices_on_a_large_node_are_to_try_small_cards(dev: Settings) -> None:
    best_first = suggestions(slices(7), dev, written("slice-worker.yaml"))
    best = best_first[0]
    assert best.says.startswith("let the pool worker buy")
    assert 0 < best.saves_usd_per_hour < 27.44705
    pool = next(pool for pool in best.settings.pools if pool.name == "worker")
    assert {name for card in pool.cards for name in card.instance_types} != {"p4de.24xlarge"}
    job: Any = next(workload for workload in best.workloads if workload["kind"] == "Job")
    limits = job["spec"]["template"]["spec"]["containers"][0]["resources"]["limits"]
    assert "nvidia.com/gpu" in limits, "the pods ask for what the changed pool offers"


def test_a_saving_below_five_percent_of_the_bill_is_not_tried(dev: Settings) -> None:
    before = slices(7)
    dear = replace(before, nodes=(*before.nodes, node("big", "elsewhere", "p5.48xlarge", 10_000.0, cpu="190")))
    assert suggestions(before, dev, written("slice-worker.yaml"))
    assert suggestions(dear, dev, written("slice-worker.yaml")) == ()


def test_only_what_runs_for_less_in_the_trial_is_said(dev: Settings) -> None:
    before = slices(7)
    better, dearer = slices(7, usd_per_hour=5.0), slices(7, usd_per_hour=30.0)
    waits = replace(better, pods=(*better.pods, PodState(EMBED, "embed-7", None, {}, "no room", "")))

    def said(snapshot: Snapshot) -> list[float]:
        asked = [Suggestion("try", 1.0, dev, ())]
        return [trial.usd_per_hour for trial in trials(asked, before.usd_per_hour, lambda _: snapshot)]

    assert said(better) == [5.0]
    assert said(dearer) == []
    assert said(waits) == []


def test_what_the_api_server_refuses_is_no_advice(dev: Settings) -> None:
    def refused(_: Suggestion) -> Snapshot:
        raise SandboxError("denied")

    assert trials([Suggestion("try", 1.0, dev, ())], 10.0, refused) == ()
