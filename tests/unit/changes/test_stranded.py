"""Pools whose published block reaches no NodePool any more, and manifests that find no node."""

from __future__ import annotations

import pytest

from gpuplatform.analysis.placement.pod import PodAsk
from gpuplatform.changes.comparison import Change, compare, stack_of
from gpuplatform.changes.stranded import Manifest
from gpuplatform.faults import Severity
from gpuplatform.settings.source import Plain
from gpuplatform.standard.requirements import Requirement
from gpuplatform.standard.taints import TaintEffect, Toleration
from tests.builders import a_card, a_market, a_pool, some_settings

TOLERATIONS = (
    Toleration("nvidia.com/gpu", None, TaintEffect.NO_SCHEDULE),
    Toleration("dedicated", None, TaintEffect.NO_SCHEDULE),
    Toleration("gpu.pool", "infer", TaintEffect.NO_SCHEDULE),
)


def manifest(cards: int = 1, **selects: str) -> Manifest:
    chosen = {"gpu.pool": "infer", **{key.replace("_", "."): value for key, value in selects.items()}}
    return Manifest(
        "deploy/chat.yaml",
        "Deployment ml-serving/chat",
        PodAsk(
            alternatives=(tuple(Requirement(key, "In", (value,)) for key, value in chosen.items()),),
            tolerations=TOLERATIONS,
            devices=(("nvidia.com/gpu", cards),),
            largest_container=(("nvidia.com/gpu", cards),),
        ),
    )


def change(was: dict[str, Plain], now: dict[str, Plain], *manifests: Manifest) -> Change:
    return compare(stack_of(some_settings(pools=[was])), stack_of(some_settings(pools=[now])), manifests)


def test_an_unchanged_pool_strands_nobody() -> None:
    same = change(a_pool(), a_pool(), manifest())
    assert (same.lost, same.stranded) == ((), ())


def test_a_renamed_pool_is_lost_to_who_looks_it_up_and_its_manifests_are_named() -> None:
    (lost,) = change(a_pool(name="serve"), a_pool(name="other"), manifest()).lost
    assert (lost.name, lost.reaches) == ("serve", ("other",))
    assert "deploy/chat.yaml: Deployment ml-serving/chat" in lost.fault(Severity.ERROR).given


@pytest.mark.parametrize(
    ("now", "away"),
    [
        (a_pool(cards=[a_card("T4-16GB", ["g4dn.xlarge"])]), "gpu.model=L4"),
        (
            a_pool(cards=[a_card(types=["g6.xlarge", "g6.2xlarge"], markets=[a_market("spot")])]),
            "type=on-demand",
        ),
        (a_pool(sharing={"time_slicing": 4}), None),
        (a_pool(taints=[{"key": "team", "value": "a"}]), "no toleration of the taint team=a:NoSchedule"),
    ],
)
def test_a_pool_whose_old_block_reaches_nothing_is_lost_and_says_why(now: dict[str, Plain], away: str | None) -> None:
    result = change(a_pool(), now, manifest(gpu_model="L4"))
    lost = result.lost
    assert result.stranded == (), "a manifest that a lost pool names is not reported again"
    if away is None:  # a share of the card is what it asks for still
        assert lost == ()
        return
    (pool,) = lost
    assert pool.reaches == ()
    assert pool.manifests, "it landed there"
    assert any(away in line for line in pool.away), pool.away


def test_a_manifest_that_asks_for_more_than_is_left_is_stranded_though_the_block_is_not() -> None:
    was = a_pool(cards=[a_card(types=["g6.xlarge", "g6.12xlarge"])])
    now = a_pool(cards=[a_card(types=["g6.xlarge"])])
    result = change(was, now, manifest(cards=4), manifest(cards=1))
    assert result.lost == ()
    (stranded,) = result.stranded
    assert stranded.manifest.ask.devices == (("nvidia.com/gpu", 4),)
    assert stranded.landed_on == ("serve",)
    assert stranded.fault(Severity.WARNING).severity is Severity.WARNING


def test_a_manifest_that_never_landed_is_not_stranded() -> None:
    assert change(a_pool(), a_pool(), manifest(gpu_model="H100")).stranded == ()
