"""Published labels of a stack do not change: previews and updates that would change one fail, even without a pack."""

from __future__ import annotations

import io
import os
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from cli.main import main
from gpuplatform.outputs import OUTPUT_NAME
from sandbox.cloud.store import Store
from sandbox.engine.environment import Workspace
from sandbox.engine.run import EngineResult, Verb, platform, run
from sandbox.tools.pulumi import PulumiCli

PROJECT = Path(__file__).parents[2]
pytestmark = pytest.mark.engine

_DEV = (PROJECT / "Pulumi.dev.yaml").read_text(encoding="utf-8")
_DEV_POOL, _INFER_POOL = "      - name: dev\n        purpose: dev\n", "      - name: infer\n        purpose: infer\n"
OTHER_PURPOSES = _DEV.replace(_DEV_POOL, _DEV_POOL.replace("purpose: dev", "purpose: infer")).replace(
    _INFER_POOL, _INFER_POOL.replace("purpose: infer", "purpose: dev")
)
"""The two pools exchange their purposes: no other check refuses these settings."""
ANOTHER_NAME = _DEV.replace(_DEV_POOL, _DEV_POOL.replace("name: dev", "name: trials"))

Runner = Callable[..., tuple[EngineResult, str]]


@pytest.fixture
def engine(engine_cli: PulumiCli, tmp_path: Path) -> Runner:
    """Runs a verb on a text of dev's stack file, in a state folder of the test's own."""
    del engine_cli

    def runner(verb: Verb, text: str = _DEV, *, with_pack: bool = True) -> tuple[EngineResult, str]:
        stack_file = tmp_path / "Pulumi.dev.yaml"
        stack_file.write_text(text, encoding="utf-8")
        out = io.StringIO()
        request = replace(platform(verb, "dev", stack_file, out), state=tmp_path / "state")
        outcome = run(request if with_pack else replace(request, policy_pack=None))
        return outcome, out.getvalue()

    return runner


def test_a_published_label_that_would_change_ends_every_preview_and_update_and_nothing_else_does(
    engine: Runner, tmp_path: Path
) -> None:
    assert _DEV not in (OTHER_PURPOSES, ANOTHER_NAME)
    world = Store(tmp_path / "state" / "world.db")
    up, printed = engine(Verb.UP)
    assert up.ok, printed
    made = up.changes["create"]
    assert set(up.changes) == {"create"}
    done = len(world.journal())

    same, printed = engine(Verb.PREVIEW)
    assert same.ok, printed
    assert same.changes == {"same": made}, "what is read of the stack itself is no resource"

    for verb in (Verb.PREVIEW, Verb.UP):
        for with_pack in (True, False):
            refused, printed = engine(verb, OTHER_PURPOSES, with_pack=with_pack)
            assert not refused.ok
            assert "NodePool dev-t4-16gb-spot: spec.template.metadata.labels[gpu.pool]" in printed
            assert "NodePool dev-t4-16gb-on-demand: spec.template.metadata.labels[gpu.pool]" in printed
            assert "NodePool infer-l4-24gb-spot: spec.template.metadata.labels[gpu.pool]" in printed
            assert "'dev' becomes 'infer'" in printed
            assert "'infer' becomes 'dev'" in printed
            assert "make a new pool under a new name" in printed
            assert "Traceback" not in printed
    assert len(world.journal()) == done, "nothing was made, changed or taken down"

    renamed, printed = engine(Verb.PREVIEW, ANOTHER_NAME)
    assert renamed.ok, printed
    assert engine(Verb.DOWN)[0].ok


def test_what_the_cli_says_a_stack_published_is_what_a_pull_requests_check_is_held_to(
    engine: Runner, engine_cli: PulumiCli, tmp_path: Path
) -> None:
    assert engine(Verb.UP)[0].ok
    workspace = Workspace("dev", tmp_path / "state", engine_cli)
    ended = subprocess.run(
        [engine_cli.command, "stack", "output", OUTPUT_NAME, "--json", "--stack", "dev"],
        cwd=workspace.work_dir,
        env={**os.environ, **workspace.variables()},
        capture_output=True,
        check=True,
    )
    (tmp_path / "published.json").write_bytes(ended.stdout)
    for text, code in ((_DEV, 0), (OTHER_PURPOSES, 1), (ANOTHER_NAME, 0)):
        (tmp_path / "now.yaml").write_text(text, encoding="utf-8")
        flags = ["--settings", str(tmp_path / "now.yaml"), "--published", str(tmp_path / "published.json")]
        result = CliRunner().invoke(main, ["check", *flags])
        assert result.exit_code == code, result.output
        assert ("gpu-labels-fixed" in result.output) == (code == 1)
