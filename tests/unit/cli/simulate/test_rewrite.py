"""A manifest moved to another pool lands there, and nothing else of it changes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from cli.simulate.rewrite import onto_pool, split
from gpuplatform.accept import check_file
from gpuplatform.analysis.placement.landing import landing
from gpuplatform.analysis.placement.stack import stack_view
from gpuplatform.render.document import Document
from gpuplatform.settings.settings import Settings
from policies.pod import ask
from policies.subject import of_document
from policies.workloads import pod_templates

ROOT = Path(__file__).parents[4]
EXAMPLES = ROOT / "examples" / "workloads"


@pytest.fixture(scope="module")
def dev() -> Settings:
    settings = check_file(ROOT / "Pulumi.dev.yaml").settings
    assert settings is not None
    return settings


def written(name: str, kind: str) -> Document:
    documents = yaml.safe_load_all((EXAMPLES / name).read_text(encoding="utf-8"))
    return next(document for document in documents if document["kind"] == kind)


def pools_of(document: Document, settings: Settings) -> tuple[str, ...]:
    (pod,) = pod_templates(of_document(document))
    asked = ask(pod)
    assert asked is not None
    return landing(asked, stack_view(settings)).pools


@pytest.mark.parametrize("name", ["infer", "worker", "dev"])
def test_a_workload_that_is_moved_lands_on_that_pool_alone(name: str, dev: Settings) -> None:
    pool = next(pool for pool in dev.pools if pool.name == name)
    moved = onto_pool(written("inference-whole-card.yaml", "Deployment"), pool)
    assert pools_of(moved, dev) == (name,)


def test_what_is_moved_is_a_copy(dev: Settings) -> None:
    before = written("slice-worker.yaml", "Job")
    onto_pool(before, dev.pools[0])
    assert before == written("slice-worker.yaml", "Job")


def test_a_deployment_that_is_split_has_the_same_replicas_in_all_and_no_pod_of_both(dev: Settings) -> None:
    whole: Any = written("inference-whole-card.yaml", "Deployment")
    whole["spec"]["replicas"] = 9
    pool = next(pool for pool in dev.pools if pool.name == "worker")
    parts: Any = split(whole, 2, pool)
    kept, other = parts
    assert (kept["spec"]["replicas"], other["spec"]["replicas"]) == (7, 2)
    assert kept["metadata"]["name"] != other["metadata"]["name"]
    assert pools_of(other, dev) == ("worker",)
    labels = other["spec"]["template"]["metadata"]["labels"]
    selector = other["spec"]["selector"]["matchLabels"]
    assert selector.items() <= labels.items()
    assert not selector.items() <= kept["spec"]["template"]["metadata"]["labels"].items()
