"""A refused stack makes nothing, and a stack file that the official CLI has changed still works."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox.cloud.store import Store
from sandbox.engine.run import EngineResult, Verb, platform, run
from sandbox.tools.pulumi import PulumiCli

PROJECT = Path(__file__).parents[2]
pytestmark = pytest.mark.engine

_DEV = (PROJECT / "Pulumi.dev.yaml").read_text(encoding="utf-8")


def _run(verb: Verb, folder: Path, text: str, *, with_pack: bool = True) -> tuple[EngineResult, str]:
    path = folder / "Pulumi.dev.yaml"
    path.write_text(text, encoding="utf-8")
    out = io.StringIO()
    request = replace(platform(verb, "dev", path, out), state=folder / "state")
    outcome = run(request if with_pack else replace(request, policy_pack=None))
    return outcome, out.getvalue()


def _made(folder: Path) -> int:
    return len(Store(folder / "state" / "world.db").everything())


def test_a_spot_pool_with_one_type_is_refused_without_a_pack_before_the_first_resource(
    engine_cli: PulumiCli, tmp_path: Path
) -> None:
    del engine_cli
    narrow = _DEV.replace("[g6.xlarge, g6.2xlarge]", "[g6.xlarge]")
    assert narrow != _DEV

    up, printed = _run(Verb.UP, tmp_path, narrow, with_pack=False)

    assert not up.ok
    assert "spot-diverse" in printed
    assert "Traceback" not in printed
    assert _made(tmp_path) == 0


def test_what_only_the_pack_refuses_makes_nothing_because_an_up_previews_first(
    engine_cli: PulumiCli, tmp_path: Path
) -> None:
    del engine_cli
    # The settings accept any network smaller than the internet; the pack refuses one that is larger than a /8.
    wide = re.sub(r"public_cidrs: \[[^]]*\]", "public_cidrs: [8.0.0.0/7]", _DEV)
    assert wide != _DEV

    up, printed = _run(Verb.UP, tmp_path, wide)

    assert not up.ok
    assert "cluster-endpoint-named" in printed
    assert _made(tmp_path) == 0


KEYS = (
    "secretsprovider: awskms://alias/pulumi-gpu-platform?region=us-east-1",
    "encryptedkey: AQICAHhnotAKey==",
    "encryptionsalt: v1:fB2MnT2dxJM=:v1:sd6dFHS2c9XEkdqh:O3hYvF7gB9nBv3c4cO4d8U2XH6pT3g==",
)


@pytest.mark.parametrize("key", KEYS)
def test_every_verb_works_twice_on_a_stack_file_that_the_official_cli_touched(
    engine_cli: PulumiCli, tmp_path: Path, key: str
) -> None:
    del engine_cli
    touched = f"{key}\n{_DEV}"
    for verb in (Verb.PREVIEW, Verb.PREVIEW, Verb.UP, Verb.UP, Verb.DOWN, Verb.DOWN):
        outcome, printed = _run(verb, tmp_path, touched)
        assert outcome.ok, f"{verb}: {printed}"


def test_a_state_whose_copy_carries_a_foreign_key_heals(engine_cli: PulumiCli, tmp_path: Path) -> None:
    del engine_cli
    copy = tmp_path / "state" / "work" / "Pulumi.dev.yaml"
    copy.parent.mkdir(parents=True)
    copy.write_text("\n".join([*KEYS, _DEV]), encoding="utf-8")
    assert _run(Verb.UP, tmp_path, _DEV)[0].ok

    for verb, key in ((Verb.PREVIEW, KEYS[0]), (Verb.UP, KEYS[1]), (Verb.PREVIEW, KEYS[2]), (Verb.DOWN, KEYS[0])):
        kept = [
            line for line in copy.read_text(encoding="utf-8").splitlines() if not line.startswith("encryptionsalt:")
        ]
        copy.write_text("\n".join([key, *kept]), encoding="utf-8")
        outcome, printed = _run(verb, tmp_path, _DEV)
        assert outcome.ok, f"{verb}, {key}: {printed}"
