"""The effects of a change of settings or pins on each thing that a stack made."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import cast

import pytest

from gpuplatform.changes.comparison import Change, Stack, compare, stack_of
from gpuplatform.changes.describing import described
from gpuplatform.changes.description import parse
from gpuplatform.changes.effect import Effect, Fate, Thing
from gpuplatform.settings.settings import Settings
from gpuplatform.settings.source import Plain
from tests.builders import a_card, a_market, a_pool, a_static_pool, settings_object, some_settings

WINDOW: Plain = {
    "time_zone": "Asia/Seoul",
    "windows": [{"days": ["Sat"], "start": "02:00", "end": "08:00", "reasons": ["Drifted"]}],
}
SERVE = a_pool(disruption=WINDOW)
STATIC = a_static_pool(provisioner="managed-node-group", zones=["us-east-1a"])
SERVE_POOL = "serve-l4-24gb-on-demand"


def change(was: Settings, now: Settings) -> Change:
    return compare(stack_of(was), stack_of(now))


def fates(result: Change, thing: Thing) -> list[tuple[str, Fate]]:
    return [(effect.name, effect.fate) for effect in result.of(thing)]


def only_effect(result: Change, thing: Thing) -> Effect:
    (effect,) = result.of(thing)
    return effect


def with_cluster(**overrides: Plain) -> Settings:
    return some_settings(pools=[SERVE, STATIC], cluster=overrides)


def test_a_raised_kubernetes_replaces_the_nodes_of_every_group_and_nodepool_and_raises_the_control_plane() -> None:
    result = change(with_cluster(version="1.35"), with_cluster(version="1.36"))

    assert result.faults == ()
    assert "cluster.version: 1.35 becomes 1.36" in only_effect(result, Thing.CLUSTER).reasons
    assert {fate for _, fate in fates(result, Thing.NODE_GROUP)} == {Fate.ROLLED}
    assert len(result.of(Thing.NODE_GROUP)) == 2
    drifted = only_effect(result, Thing.NODEPOOL)
    assert (drifted.name, drifted.fate, drifted.when) == (
        SERVE_POOL,
        Fate.REPLACED,
        "Sat 02:00 to 08:00 (Asia/Seoul), 1 at once",
    )
    assert "Kubernetes 1.35 becomes 1.36" in drifted.reasons[0]
    assert ("kube-proxy", Fate.CHANGED) in fates(result, Thing.ADDON)


@pytest.mark.parametrize(
    ("old", "new", "allowed"),
    [
        ("1.35", "1.34", "not take a cluster back to an earlier minor"),
        ("1.36", "1.33", "not take a cluster back to an earlier minor"),
        ("1.33", "1.35", "by one minor at a time"),
        ("1.33", "1.36", "by one minor at a time"),
    ],
)
def test_eks_takes_the_next_minor_alone(old: str, new: str, allowed: str) -> None:
    (fault,) = change(with_cluster(version=old), with_cluster(version=new)).faults
    assert fault.path == "cluster.version"
    assert allowed in fault.allowed


def test_a_new_cluster_takes_any_minor() -> None:
    result = change(with_cluster(version="1.35"), with_cluster(version="1.33", name="another"))
    assert result.faults == ()
    assert result.new_cluster


NODE_CLASS: dict[str, tuple[dict[str, Plain], str]] = {
    "root_volume_gib": ({"node_class": {"root_volume_gib": 321}}, "ebs.volumeSize: 200Gi becomes 321Gi"),
    "shell": ({"node_class": {"shell": "echo hello"}}, "userData: another text"),
    "node_config": (
        {"node_class": {"node_config": "apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\nspec: {}\n"}},
        "userData: another text",
    ),
    "placement group": ({"placement_group": "near"}, "placementGroupSelector.name: nothing becomes near"),
    "expiry": ({"expire_after_hours": 100}, "spec.expireAfter: Never becomes 100h"),
    "taint": ({"taints": [{"key": "a", "value": "b"}]}, "spec.taints"),
}


@pytest.mark.parametrize("field", NODE_CLASS)
def test_whatever_karpenter_hashes_replaces_the_pools_nodes_in_its_window(field: str) -> None:
    overrides, reason = NODE_CLASS[field]
    drifted = only_effect(
        change(some_settings(pools=[SERVE]), some_settings(pools=[{**SERVE, **overrides}])), Thing.NODEPOOL
    )
    assert (drifted.fate, drifted.when) == (Fate.REPLACED, "Sat 02:00 to 08:00 (Asia/Seoul), 1 at once")
    assert any(reason in line for line in drifted.reasons), drifted.reasons


def test_a_tag_replaces_the_system_group_rolls_static_ones_and_drifts_every_nodepool() -> None:
    was, now = (some_settings(pools=[SERVE, STATIC], tags={"owner": owner}) for owner in ("one", "other"))
    result = change(was, now)
    assert fates(result, Thing.NODEPOOL) == [(SERVE_POOL, Fate.REPLACED)]
    assert [fate for _, fate in fates(result, Thing.NODE_GROUP)] == [Fate.REPLACED, Fate.ROLLED]
    assert all("tags.owner: one becomes other" in effect.reasons for effect in result.of(Thing.NODE_GROUP))


def test_a_wider_choice_of_types_replaces_nothing_and_a_narrower_one_the_nodes_of_what_goes() -> None:
    one_type = some_settings(pools=[a_pool(cards=[a_card(types=["g6.xlarge"])])])
    two_types = some_settings(pools=[a_pool(cards=[a_card(types=["g6.xlarge", "g6.2xlarge"])])])

    assert change(one_type, two_types).of(Thing.NODEPOOL) == ()
    (drifted,) = change(two_types, one_type).of(Thing.NODEPOOL)
    assert drifted.reasons == ("node.kubernetes.io/instance-type no longer allows g6.2xlarge: only nodes with it",)


def test_a_cpu_pools_nodes_drift_too() -> None:
    was, now = (
        some_settings(
            cpu_pools=[
                {"name": "cpu", "instance_types": ["m7i.large"], "ceiling_vcpus": 8, "expire_after_hours": hours}
            ]
        )
        for hours in (100, 200)
    )
    assert fates(change(was, now), Thing.NODEPOOL) == [("cpu", Fate.REPLACED)]


def test_another_region_replaces_cluster_and_network() -> None:
    zones: list[Plain] = [{"name": "us-west-2a", "id": "usw2-az1"}, {"name": "us-west-2b", "id": "usw2-az2"}]
    now = some_settings(pools=[SERVE], region="us-west-2", network={"new": {"zones": zones}})
    result = change(some_settings(pools=[SERVE]), now)

    reason = "region: us-east-1 becomes us-west-2"
    assert (only_effect(result, Thing.CLUSTER).fate, only_effect(result, Thing.CLUSTER).reasons[0]) == (
        Fate.REPLACED,
        reason,
    )
    assert (only_effect(result, Thing.NETWORK).fate, only_effect(result, Thing.NETWORK).reasons[0]) == (
        Fate.REPLACED,
        reason,
    )


@pytest.mark.parametrize("overrides", [{"name": "another"}, {"service_cidr": "172.21.0.0/16"}])
def test_what_eks_cannot_change_replaces_the_cluster(overrides: dict[str, Plain]) -> None:
    result = change(with_cluster(deletion_protection=True), with_cluster(**overrides, deletion_protection=True))
    effect = only_effect(result, Thing.CLUSTER)
    assert effect.fate is Fate.REPLACED
    assert any("deletion_protection" in reason for reason in effect.reasons)


def test_what_eks_changes_in_place_replaces_nothing() -> None:
    result = change(with_cluster(), with_cluster(log_retention_days=30))
    assert only_effect(result, Thing.CLUSTER).fate is Fate.CHANGED
    assert {effect.thing for effect in result.effects} == {Thing.CLUSTER}


def test_deferred_contents_take_everything_in_the_cluster_away() -> None:
    result = change(with_cluster(), with_cluster(contents="deferred"))
    assert [effect.fate for effect in result.of(Thing.CONTENTS)] == [Fate.GONE]


def test_another_vpc_is_one_into_which_eks_moves_no_cluster() -> None:
    result = change(some_settings(), some_settings(network={"new": {"cidr": "10.99.0.0/16"}}))
    assert fates(result, Thing.NETWORK) == [("vpc", Fate.REPLACED)]
    assert only_effect(result, Thing.CLUSTER).fate is Fate.IMPOSSIBLE


def test_one_more_zone_makes_subnets_and_a_new_system_group() -> None:
    zones: list[Plain] = [
        {"name": "us-east-1a", "id": "use1-az6"},
        {"name": "us-east-1b", "id": "use1-az1"},
        {"name": "us-east-1c", "id": "use1-az2"},
    ]
    result = change(some_settings(), some_settings(network={"new": {"zones": zones}}))
    assert fates(result, Thing.NETWORK) == [("subnets in us-east-1c", Fate.NEW)]
    assert fates(result, Thing.NODE_GROUP) == [("system", Fate.REPLACED)]
    assert result.of(Thing.NODEPOOL) == ()


@pytest.mark.parametrize(
    ("overrides", "fate"),
    [
        ({"root_volume_gib": 77}, Fate.REPLACED),
        ({"instance_types": ["m7i.xlarge"]}, Fate.REPLACED),
        ({"nodes": 5}, Fate.CHANGED),
    ],
)
def test_the_system_group(overrides: dict[str, Plain], fate: Fate) -> None:
    result = change(some_settings(), some_settings(system_nodes=overrides))
    assert fates(result, Thing.NODE_GROUP) == [("system", fate)]


@pytest.mark.parametrize(
    ("overrides", "fate"),
    [
        ({"node_class": {"root_volume_gib": 77}}, Fate.ROLLED),
        ({"node_class": {"shell": "echo hello"}}, Fate.ROLLED),
        ({"nodes": 2}, Fate.CHANGED),
        ({"taints": [{"key": "a", "value": "b"}]}, Fate.CHANGED),
    ],
)
def test_a_static_group(overrides: dict[str, Plain], fate: Fate) -> None:
    result = change(some_settings(pools=[SERVE, STATIC]), some_settings(pools=[SERVE, {**STATIC, **overrides}]))
    assert [effect.fate for effect in result.of(Thing.NODE_GROUP)] == [fate]


def test_a_static_group_of_other_types_is_another_group() -> None:
    cards: list[Plain] = [a_card("H100-80GB", ["p5.48xlarge"], [a_market(ceiling_cards=None)])]
    result = change(some_settings(pools=[SERVE, STATIC]), some_settings(pools=[SERVE, {**STATIC, "cards": cards}]))
    assert [effect.fate for effect in result.of(Thing.NODE_GROUP)] == [Fate.NEW, Fate.GONE]


def existing(first: str) -> Settings:
    subnets: list[Plain] = [{"id": first, "zone": "us-east-1a"}, {"id": "subnet-0000000b", "zone": "us-east-1b"}]
    network: dict[str, Plain] = {"new": None, "existing": {"vpc_id": "vpc-00000001", "private_subnets": subnets}}
    return some_settings(pools=[SERVE, STATIC], network=network)


def test_another_subnet_replaces_the_groups_in_it_and_drifts_the_nodes_in_it() -> None:
    result = change(existing("subnet-0000000a"), existing("subnet-0000000c"))
    assert [effect.fate for effect in result.of(Thing.NODE_GROUP)] == [Fate.REPLACED, Fate.REPLACED]
    reason = "subnet subnet-0000000a is no longer selected: only nodes in it"
    assert only_effect(result, Thing.NODEPOOL).reasons == (reason,)


def with_pins(settings: Settings, edit: Callable[[dict[str, Plain]], None]) -> Stack:
    """A stack as another revision's code describes it."""
    plain = cast("dict[str, Plain]", copy.deepcopy(described(settings)))
    edit(plain)
    return Stack(parse(plain), settings)


def test_raised_pins_are_named_with_their_notes() -> None:
    def lower(plain: dict[str, Plain]) -> None:
        cast("dict[str, Plain]", plain["charts"])["karpenter"] = "1.13.0"
        cast("dict[str, Plain]", plain["addons"])["coredns"] = "v1.0.0"
        del cast("dict[str, Plain]", plain["charts"])["gpu-operator"]

    settings = some_settings(pools=[SERVE])
    result = compare(with_pins(settings, lower), stack_of(settings))

    karpenter, operator = result.of(Thing.RELEASE)
    assert karpenter.reasons[0].startswith("version: 1.13.0 becomes ")
    assert karpenter.reasons[1] == "read docs/guides/upgrade.md, Karpenter"
    assert (operator.name, operator.fate) == ("gpu-operator", Fate.NEW)
    assert only_effect(result, Thing.ADDON).name == "coredns"


def test_a_raised_node_image_drifts_every_nodepool_and_rolls_every_group() -> None:
    def older(plain: dict[str, Plain]) -> None:
        plain["node_release"] = "1.35.1-20250101"
        for document in cast("list[dict[str, Plain]]", plain["documents"]):
            if document["kind"] == "EC2NodeClass":
                cast("dict[str, Plain]", document["spec"])["amiSelectorTerms"] = [{"alias": "al2023@v20250101"}]

    settings = some_settings(pools=[SERVE, STATIC])
    result = compare(with_pins(settings, older), stack_of(settings))

    drifted = only_effect(result, Thing.NODEPOOL)
    assert drifted.fate is Fate.REPLACED
    assert drifted.reasons[0].startswith("node image: al2023@v20250101 becomes al2023@v")
    assert [effect.fate for effect in result.of(Thing.NODE_GROUP)] == [Fate.ROLLED, Fate.ROLLED]


def test_a_part_that_a_revision_cannot_give_is_named_and_the_others_are_compared() -> None:
    def broken(plain: dict[str, Plain]) -> None:
        plain["unknown"] = {"addons": "ImportError: no such name"}
        del plain["addons"]
        cast("dict[str, Plain]", plain["charts"])["karpenter"] = "1.13.0"

    settings = some_settings(pools=[SERVE])
    result = compare(with_pins(settings, broken), stack_of(settings))

    assert result.unknown == ("the earlier versions of add-ons: ImportError: no such name",)
    assert [effect.name for effect in result.of(Thing.RELEASE)] == ["karpenter"]


def unjudged(**overrides: Plain) -> Settings:
    """Settings of the right form that no check has seen."""
    return Settings.model_validate_json(json.dumps(settings_object(**overrides)))


def test_refused_settings_are_compared_as_far_as_they_render() -> None:
    result = change(some_settings(pools=[SERVE]), unjudged(pools=[SERVE], cluster={"version": "1.99"}))
    unknown = {line.split(":")[0] for line in result.unknown}
    assert unknown == {"the new image of node groups", "the new versions of add-ons"}
    assert fates(result, Thing.NODEPOOL) == [(SERVE_POOL, Fate.REPLACED)]


def test_settings_that_nobody_can_publish_are_compared_by_what_aws_makes_of_them() -> None:
    cards: list[Plain] = [a_card("unheard-of", ["g6.xlarge"])]
    unheard_of = unjudged(pools=[{**SERVE, "cards": cards}], cluster={"version": "1.36"})
    result = change(some_settings(pools=[SERVE]), unheard_of)
    unknown = {line.split(":")[0] for line in result.unknown}
    assert {"the new published outputs", "lost manifests, and configurations that running nodes still use"} <= unknown
    assert only_effect(result, Thing.CLUSTER).fate is Fate.CHANGED
    assert result.lost == ()


def test_what_other_teams_read_is_told_entry_by_entry() -> None:
    was = some_settings(pools=[SERVE, a_pool(name="old", purpose="dev")])
    now = some_settings(pools=[{**SERVE, "taint_effect": "NoExecute"}, a_pool(name="new", purpose="dev")])
    contract = change(was, now).contract
    assert "platform.pools.old is gone" in contract
    assert "platform.pools.new is new" in contract
    assert any(line.startswith("platform.pools.serve.taints: ") for line in contract)
