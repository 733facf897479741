"""What a queue would hold back for good: refused where no quota can help, a warning where a larger one would."""

from __future__ import annotations

import pytest

from gpuplatform.accept import check
from gpuplatform.faults import Fault
from gpuplatform.plan.queues import queue_plan
from gpuplatform.render.queues.values import configuration
from gpuplatform.render.stack import render
from gpuplatform.settings.settings import Queues, Settings
from gpuplatform.settings.source import Plain
from tests.builders import (
    STACKS,
    a_card,
    a_market,
    a_namespace,
    a_pool,
    a_static_pool,
    a_tenant,
    settings_object,
    some_settings,
    stack_settings,
)
from tests.unit.render.reading import at, list_at, mapping_at

GPU = "nvidia.com/gpu"
NEURON = "aws.amazon.com/neuron"
CLAIMED = a_static_pool(dra=True)
EIGHTS = a_pool(name="eights", purpose="train", cards=[a_card(types=["g6.48xlarge"], markets=[a_market("spot", 16)])])


def a_team(cards: int, borrow: int = 0, resource: str = GPU, **more: Plain) -> Plain:
    space = a_namespace(name="ml-training", priorities=["training-normal"], scheduling="queued", **more)
    space["quota"] = {resource: cards}
    return a_tenant(name="training", queue={"borrow": {GPU: borrow} if borrow else {}}, namespaces=[space])


def tenant_faults(*pools: Plain, team: Plain) -> list[Fault]:
    all_faults = check(settings_object(pools=list(pools), tenants=[team])).faults
    return [fault for fault in all_faults if fault.path.startswith("tenants")]


def test_a_queued_namespace_of_a_pool_whose_cards_are_claimed_is_refused_with_three_ways_out() -> None:
    (fault,) = tenant_faults(CLAIMED, EIGHTS, team=a_team(8))
    assert fault.path == "tenants[training].namespaces[ml-training].scheduling"
    assert fault.given == "queued, and its pool chief has dra: true"
    for way in ("`scheduling: serving`", "remove dra from chief", "name only pools without dra under `pools`"):
        assert way in fault.change


def test_one_that_names_other_pools_is_queued_and_is_given_no_claim() -> None:
    settings = some_settings(pools=[CLAIMED, EIGHTS], tenants=[a_team(8, pools=["eights"])])
    documents = render(settings).documents
    assert not [document for document in documents if document["kind"] == "ResourceClaimTemplate"]
    (quota,) = (document for document in documents if at(document, "metadata", "name") == "claims")
    assert set(mapping_at(quota, "spec", "hard").values()) == {"0"}


@pytest.mark.parametrize(("cards", "borrow", "is_said"), [(8, 0, False), (4, 4, False), (4, 0, True), (0, 4, True)])
def test_less_than_a_node_of_a_pool_is_said_with_team_pool_node_and_share(
    cards: int, borrow: int, is_said: bool
) -> None:
    warnings = tenant_faults(EIGHTS, team=a_team(cards, borrow))
    assert [(fault.path, fault.given, fault.severity.value) for fault in warnings] == (
        [
            (
                "tenants[training].queue",
                f"{cards} nvidia.com/gpu and {borrow} to borrow on pool eights (a node has 8)",
                "warning",
            )
        ]
        if is_said
        else []
    )


def test_a_team_that_is_given_nothing_is_warned_of_nothing() -> None:
    assert tenant_faults(EIGHTS, team=a_team(0)) == []


def neuron() -> Settings:
    pool: Plain = {
        "name": "inferentia",
        "instance_types": ["inf2.xlarge"],
        "ceiling_devices": 8,
        "disruption": {"consolidation": "WhenEmpty", "consolidate_after_minutes": 5},
    }
    return some_settings(pools=[EIGHTS], neuron_pools=[pool], tenants=[a_team(8, resource=NEURON)])


@pytest.mark.parametrize("settings", [neuron(), *map(stack_settings, STACKS)], ids=["neuron", *STACKS])
def test_whatever_a_queued_namespace_has_a_quota_of_is_counted_by_its_queue_or_by_no_queue(settings: Settings) -> None:
    """What is neither Kueue never admits: the resource is unavailable in the ClusterQueue."""
    plan = queue_plan(settings)
    ignored = tuple(
        str(prefix) for prefix in list_at(configuration(plan, Queues()), "resources", "excludeResourcePrefixes")
    )
    for team in plan.teams:
        counted = {share.flavor.resource for share in team.shares}
        for space in team.tenant.namespaces:
            assert all(name in counted or name.startswith(ignored) for name in space.quota), space.name
