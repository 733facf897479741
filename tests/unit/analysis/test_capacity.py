"""Quotas against ceilings: sums, the ratio, what nobody can serve or use, spans, vCPUs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import cast

import pytest
import yaml
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from cli.main import main
from gpuplatform.accept import check
from gpuplatform.analysis.capacity import capacity_lines, spans, vcpu_needs
from gpuplatform.faults import Fault, errors
from gpuplatform.outputs import describe
from gpuplatform.settings.partial import PartialSettings
from gpuplatform.settings.source import SETTINGS_KEY, Plain
from policies.judge import apply
from policies.rules.capacity import GUARANTEES_WITHIN_CAPACITY
from policies.subject import of_document
from tests.builders import ROOT, STACKS, a_card, a_market, a_pool, settings_object, some_settings

GPU = "nvidia.com/gpu"
OWN: dict[str, Plain] = {"key": "kind", "value": "more"}


def a_team(name: str, quota: dict[str, int], priority: str = "inference-critical", **more: Plain) -> dict[str, Plain]:
    namespace: dict[str, Plain] = {
        "name": f"ns-{name}",
        "environment": "test",
        "quota": {**quota},
        "priorities": [priority],
        "service_account": "worker",
        **more,
    }
    return {"name": name, "team": name, "namespaces": [namespace]}


def partial_of(pools: list[Plain], tenants: list[Plain], **more: Plain) -> tuple[PartialSettings, list[Fault]]:
    loaded = check(settings_object(pools=pools, tenants=tenants, **more))
    assert loaded.partial_settings is not None
    faults = [fault for fault in loaded.faults if fault.path.startswith(("tenants", "queues", "pools"))]
    return loaded.partial_settings, faults


def test_teams_may_be_guaranteed_exactly_what_there_is() -> None:
    _, faults = partial_of([a_pool()], [a_team("a", {GPU: 5}), a_team("b", {GPU: 3})])
    assert errors(faults) == []


def test_one_card_more_is_refused_with_every_team_pool_and_number() -> None:
    _, faults = partial_of([a_pool()], [a_team("a", {GPU: 5}), a_team("b", {GPU: 4})])
    (fault,) = errors(faults)
    assert fault.path == "queues.overcommit_ratio"
    assert (
        fault.given == "9 nvidia.com/gpu guaranteed (a 5 in ns-a, b 4 in ns-b) of at most 8 (pool serve 8): 1.12 times"
    )


def three_teams(green: int) -> tuple[list[Plain], list[Plain]]:
    """Two teams with a pool of one-card nodes alone, and a third that a pool of many cards may serve as well."""
    pools: list[Plain] = [a_pool(name="single"), a_pool(name="many", cards=[a_card(markets=[a_market("spot", 24)])])]
    teams: list[Plain] = [
        a_team("red", {GPU: 8}, pools=["single"]),
        a_team("blue", {GPU: 8}, pools=["single"]),
        a_team("green", {GPU: green}, pools=["single", "many"]),
    ]
    return pools, teams


def test_a_pool_that_a_third_team_shares_does_not_hide_what_two_teams_were_promised_of_another() -> None:
    settings, faults = partial_of(*three_teams(4))
    (line,) = capacity_lines(settings)
    assert line.ratio < 1
    (fault,) = errors(faults)
    assert fault.path == "queues.overcommit_ratio"
    assert fault.given == (
        "16 nvidia.com/gpu guaranteed (red 8 in ns-red, blue 8 in ns-blue) of at most 8 (pool single 8): 2.00 times"
    )
    assert fault.allowed == "1.00 times, 8 nvidia.com/gpu"


def test_what_is_published_of_such_a_stack_lets_the_policy_see_the_same() -> None:
    pools, teams = three_teams(4)
    settings, _ = partial_of(pools, teams)
    assert [claim.pools for line in capacity_lines(settings) for claim in line.claims] == [
        ("single",),
        ("single",),
        ("single", "many"),
    ]
    settings = some_settings(pools=pools, tenants=teams, queues={"overcommit_ratio": 2.0})
    published = describe(settings, "https://cluster").as_plain()
    held = {"kind": "pulumi:pulumi:Stack", "platform": published}
    assert findings(held) == []
    cast(list[dict[str, Plain]], published["capacity"])[0]["allowed_ratio"] = 1.0
    (finding,) = findings(held)
    assert "16 nvidia.com/gpu guaranteed (red 8 in ns-red, blue 8 in ns-blue) with a capacity of 8" in finding


def findings(stack: Mapping[str, object]) -> list[str]:
    """What the rule says of a published stack."""
    return [str(finding.fault) for finding in apply(GUARANTEES_WITHIN_CAPACITY, [of_document(stack)])]


@pytest.mark.parametrize(("borrow", "most"), [(6, None), (7, 6)])
def test_a_team_borrows_no_more_than_its_pools_have_beside_its_quota(borrow: int, most: int | None) -> None:
    team: dict[str, Plain] = {**a_team("a", {GPU: 2}, scheduling="queued"), "queue": {"borrow": {GPU: borrow}}}
    _, faults = partial_of([a_pool()], [team])
    assert [(error.path, error.given, error.allowed) for error in errors(faults)] == (
        []
        if most is None
        else [
            (
                "tenants[a].queue.borrow[nvidia.com/gpu]",
                "7 above a quota of 2",
                "at most 6, as its pools have 8: pool serve 8",
            )
        ]
    )


def test_a_stack_may_allow_more_than_there_is() -> None:
    _, faults = partial_of([a_pool()], [a_team("a", {GPU: 6}), a_team("b", {GPU: 6})], queues={"overcommit_ratio": 1.5})
    assert errors(faults) == []


def test_no_ratio_makes_cards_for_one_quota_that_is_larger_than_all_its_pools() -> None:
    _, faults = partial_of([a_pool()], [a_team("a", {GPU: 9})], queues={"overcommit_ratio": 2.0})
    (fault,) = errors(faults)
    assert fault.path == "tenants[a].namespaces[ns-a].quota[nvidia.com/gpu]"
    assert fault.allowed == "at most 8: pool serve 8"


def test_cards_of_another_purpose_serve_nobody() -> None:
    _, faults = partial_of([a_pool()], [a_team("a", {GPU: 1}, "training-normal")])
    assert [fault.allowed for fault in errors(faults)] == [
        "at most 0: no pool that the namespace may use (it is offered by pool serve 8)"
    ]


def test_a_namespace_may_name_pools_of_another_purpose() -> None:
    _, faults = partial_of([a_pool()], [a_team("a", {GPU: 1}, "training-normal", pools=["serve"])])
    assert faults == []


NEURON_DEVICE = "aws.amazon.com/neuron"
NEURON: dict[str, Plain] = {"name": "neuron", "instance_types": ["inf2.xlarge"], "ceiling_devices": 4}


@pytest.mark.parametrize(
    ("pools", "allowed"),
    [
        ([], []),
        (["serve", "neuron"], []),
        (["serve"], ["at most 0: no pool that the namespace may use (it is offered by pool neuron 4)"]),
    ],
)
def test_a_neuron_quota_is_served_by_every_neuron_pool_or_by_those_that_are_named(
    pools: list[Plain], allowed: list[str]
) -> None:
    team = a_team("a", {GPU: 1, NEURON_DEVICE: 4}, pools=pools)
    _, faults = partial_of([a_pool()], [team], neuron_pools=[NEURON])
    assert [fault.allowed for fault in errors(faults)] == allowed


@pytest.mark.parametrize(("borrow", "refused"), [(3, False), (4, True)])
def test_a_team_borrows_no_more_devices_than_its_neuron_pools_have(borrow: int, refused: bool) -> None:
    team = a_team("a", {NEURON_DEVICE: 1}, scheduling="queued")
    _, faults = partial_of([a_pool()], [{**team, "queue": {"borrow": {NEURON_DEVICE: borrow}}}], neuron_pools=[NEURON])
    assert [error.allowed for error in errors(faults)] == (
        ["at most 3, as its pools have 4: pool neuron 4"] if refused else []
    )


def test_a_pool_that_no_team_may_use_has_no_team_on_its_line() -> None:
    settings, faults = partial_of([a_pool(), a_pool(name="learn", purpose="train")], [a_team("a", {GPU: 1})])
    assert [len(line.claims) for line in capacity_lines(settings)] == [1, 0]
    assert faults == []


def test_pools_that_share_a_team_stand_on_one_line_and_others_apart() -> None:
    pools: list[Plain] = [a_pool(), a_pool(name="more"), a_pool(name="learn", purpose="train")]
    settings, _ = partial_of(pools, [a_team("a", {GPU: 10})])
    assert [[offer.pool for offer in line.offers] for line in capacity_lines(settings)] == [
        ["serve", "more"],
        ["learn"],
    ]


@given(st.lists(st.integers(0, 20), min_size=1, max_size=5), st.integers(1, 30))
def test_settings_are_refused_exactly_where_the_sum_exceeds_the_ceiling(quotas: list[int], ceiling: int) -> None:
    pool = a_pool(cards=[a_card(markets=[a_market(ceiling_cards=ceiling)])])
    settings, faults = partial_of([pool], [a_team(f"t{index}", {GPU: quota}) for index, quota in enumerate(quotas)])
    assert bool(errors(faults)) == (sum(quotas) > ceiling)
    (line,) = capacity_lines(settings)
    assert (line.guaranteed, line.units) == (sum(quotas), ceiling)


def test_the_largest_training_job_is_measured_against_a_node() -> None:
    settings, _ = partial_of(
        [a_pool()], [a_team("a", {GPU: 4}, priorities=["training-normal"], pools=["serve"]), a_team("b", {GPU: 4})]
    )
    (span,) = spans(settings)
    assert (span.tenant, span.largest_job, span.one_node, span.one_block, span.fits) == ("a", 4, 1, 0, False)


def test_a_job_is_no_larger_than_one_pool_and_market_and_says_so_where_the_quota_is() -> None:
    """Pods of a job are alike: no quota makes two pools one."""
    large = [a_market(ceiling_cards=6), a_market("spot", 4)]
    pools: list[Plain] = [a_pool(), a_pool(name="more", taints=[OWN], cards=[a_card(markets=large)])]
    team = a_team("a", {GPU: 10}, "training-normal", pools=["serve", "more"])
    served, _ = partial_of(pools, [team])
    (span,) = spans(served)
    assert (span.quota, span.largest_job, span.pool) == (10, 8, "serve")
    assert span.says == (
        "the largest job of a in ns-a is 8 nvidia.com/gpu, on pool serve, although it may hold 10:"
        " one node has 1, none of its pools places nodes together; it runs on nodes that may be far apart"
    )


def test_a_queued_job_is_no_larger_than_what_its_queue_holds_and_borrows_of_one_flavor() -> None:
    team: dict[str, Plain] = {
        **a_team("a", {GPU: 0}, "training-normal", pools=["serve", "more"], scheduling="queued"),
        "queue": {"borrow": {GPU: 8}},
    }
    settings, _ = partial_of([a_pool(), a_pool(name="more", taints=[OWN])], [team])
    (span,) = spans(settings)
    assert (span.quota, span.largest_job) == (8, 4)


def test_ceilings_need_vcpus_of_the_largest_size_on_each_market() -> None:
    both = [a_market("spot", 4), a_market(ceiling_cards=8)]
    pool = a_pool(cards=[a_card(types=("g6.xlarge", "g6.2xlarge"), markets=both)])
    settings, _ = partial_of([pool], [])
    needs = {(vcpu_need.families, vcpu_need.market): vcpu_need.vcpus for vcpu_need in vcpu_needs(settings)}
    assert (needs["G and VT", "spot"], needs["G and VT", "on-demand"]) == (4 * 8, 8 * 8)


@pytest.mark.parametrize("stack", STACKS)
def test_check_prints_the_table_and_the_same_as_json(stack: str) -> None:
    shown = CliRunner().invoke(main, ["check", "--stack", stack])
    assert "GUARANTEED" in shown.output, shown.output
    assert "vCPU quotas that the account needs" in shown.output
    assert ("pools without a namespace quota: inferentia" in shown.output) == (stack != "staging")
    written = CliRunner().invoke(main, ["check", "--stack", stack, "--format", "json"])
    capacity = json.loads(written.output)["capacity"]
    assert capacity["overcommit_ratio_allowed"] == 1.0
    for line in capacity["resources"]:
        assert line["guaranteed"] == sum(quota["amount"] for quota in line["quotas"]) <= line["ceiling"]


def test_a_doubled_quota_ends_check_with_one(tmp_path: Path) -> None:
    document = yaml.safe_load((ROOT / "Pulumi.prod.yaml").read_text(encoding="utf-8"))
    quota = document["config"][SETTINGS_KEY]["tenants"][1]["namespaces"][0]["quota"]
    quota["nvidia.com/mig-1g.10gb"] *= 2
    file = tmp_path / "Pulumi.doubled.yaml"
    file.write_text(yaml.safe_dump(document), encoding="utf-8")
    ended = CliRunner().invoke(main, ["check", "--settings", str(file)])
    assert ended.exit_code == 1
    for words in ("training", "nvidia.com/mig-1g.10gb", "140", "pool worker 112"):
        assert words in ended.output
