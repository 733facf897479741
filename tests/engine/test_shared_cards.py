"""The pack, on the real engine, refuses a stack in which one of the five places of shared cards differs."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import pytest

from gpuplatform.render import stack as rendering
from gpuplatform.render.stack import Rendered
from gpuplatform.settings.settings import Settings
from sandbox.engine.run import Verb, platform, run
from sandbox.tools.pulumi import PulumiCli
from tests.five_places import Plain, shared_pools
from tests.policies.test_five_places import MIG_CHANGES, SHARE_CHANGES, Mutation

PROJECT = Path(__file__).parents[2]
pytestmark = pytest.mark.engine

MIG_POOL = "worker-a100-40gb-on-demand"
SHARED_POOL = "dev-t4-16gb-spot"
CASES = [
    *((MIG_POOL, change, rules) for change, rules in MIG_CHANGES),
    # ``_no_overlay`` is left out: it removes an overlay, so the engine would register no changed object.
    *((SHARED_POOL, change, rules) for change, rules in SHARE_CHANGES if change.__name__ != "_no_overlay"),
]


@pytest.mark.parametrize(("nodepool", "change", "rules"), CASES)
def test_one_place_that_differs_is_refused_by_name(
    engine_cli: PulumiCli,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    nodepool: str,
    change: Mutation,
    rules: set[str],
) -> None:
    del engine_cli
    whole = rendering.render

    def changed(settings: Settings) -> Rendered:
        rendered = whole(settings)
        documents: list[Plain] = [*rendered.documents, *rendered.values.values()]
        place = next(shared_pool for shared_pool in shared_pools(documents) if shared_pool.nodepool == nodepool)
        change(documents, place)
        return rendered

    monkeypatch.setattr(rendering, "render", changed)
    out = io.StringIO()
    request = platform(Verb.PREVIEW, "staging", PROJECT / "Pulumi.staging.yaml", out)
    outcome = run(replace(request, state=tmp_path / "staging"))
    assert not outcome.ok
    for rule in rules:
        assert rule in out.getvalue()
