"""One number divided: quotas over flavors, and read back from the rendered documents (B14)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplatform.accept import check
from gpuplatform.render.document import Document, kind_of, name_of, namespace_of
from gpuplatform.render.stack import Rendered, render
from gpuplatform.settings.flavors import apportion, flavors, queue_plan
from gpuplatform.settings.settings import Settings
from gpuplatform.settings.source import Plain
from gpuplatform.standard import names, resources
from tests.builders import (
    STACKS,
    a_card,
    a_market,
    a_namespace,
    a_pool,
    a_slice_pool,
    a_static_pool,
    a_tenant,
    settings_object,
    some_settings,
    stack_settings,
)

GPU = resources.GPU


def queued_settings(gpu: tuple[int, int] = (5, 3), borrow: int = 4, **more: object) -> Settings:
    """Two queued teams and one that serves, on a pool of two markets with twelve cards."""
    pool = a_pool(cards=[a_card(markets=[a_market("spot", 8), a_market(ceiling_cards=4)])])
    spaces = [
        a_namespace(name=f"ns-{index}", quota={GPU: amount}, scheduling="queued") for index, amount in enumerate(gpu)
    ]
    teams = [
        a_tenant(name=f"team-{index}", queue={"weight": index + 1, "borrow": {GPU: borrow}}, namespaces=[space])
        for index, space in enumerate(spaces)
    ]
    serving = a_tenant(name="serving", namespaces=[a_namespace(quota={GPU: 2})])
    return some_settings(pools=[pool], tenants=[*teams, serving], **more)  # pyright: ignore[reportArgumentType]


def of_kind(rendered: Rendered, kind: str) -> list[Document]:
    return [each for each in rendered.documents if kind_of(each) == kind]


def quotas(document: Document, amount: str) -> Counter[tuple[str, str]]:
    """What a queue or the cohort says of each flavor and resource."""
    spec = cast(dict[str, list[dict[str, list[Document]]]], document["spec"])
    return Counter(
        {
            (str(flavor["name"]), str(one["name"])): int(str(one.get(amount, 0)))
            for group in spec["resourceGroups"]
            for flavor in group["flavors"]
            for one in cast(Iterable[dict[str, object]], flavor["resources"])
        }
    )


@given(st.integers(0, 500), st.dictionaries(st.text(min_size=1), st.integers(0, 99), min_size=1))
def test_parts_sum_to_the_whole_and_none_exceeds_its_weight(amount: int, weights: dict[str, int]) -> None:
    parts = apportion(amount, weights)
    total = sum(weights.values())
    assert sum(parts.values()) == (amount if total else 0)
    if amount <= total:
        assert all(part <= weights[name] for name, part in parts.items())


@given(st.integers(0, 6), st.integers(0, 4), st.integers(0, 8))
def test_no_flavor_is_promised_beyond_its_ceiling_and_every_quota_is_whole(one: int, two: int, borrow: int) -> None:
    settings = queued_settings((one, two), borrow)
    rendered = render(settings)
    queues = of_kind(rendered, "ClusterQueue")
    for queue, amount in zip(queues, (one, two), strict=True):
        assert sum(count for (_, of), count in quotas(queue, "nominalQuota").items() if of == GPU) == amount
        assert sum(count for (_, of), count in quotas(queue, "borrowingLimit").items() if of == GPU) == borrow
    promised: Counter[tuple[str, str]] = Counter()
    for each in queues:
        promised += quotas(each, "nominalQuota")
    for flavor in flavors(settings):
        assert promised[flavor.name, GPU] <= flavor.units


@pytest.mark.parametrize(
    ("settings", "serving"),
    [(queued_settings(), {GPU: 2}), (stack_settings("prod"), {"nvidia.com/mig-1g.10gb": 42})],
    ids=["small", "prod"],
)
def test_queues_namespaces_and_ceilings_are_read_back_as_one_number_each(
    settings: Settings, serving: dict[str, int]
) -> None:
    rendered = render(settings)
    hard = {
        namespace_of(each): cast(dict[str, dict[str, str]], each["spec"])["hard"]
        for each in of_kind(rendered, "ResourceQuota")
    }
    (cohort,) = of_kind(rendered, "Cohort")
    ceilings: Counter[str] = Counter()
    for flavor in queue_plan(settings).flavors:
        ceilings[flavor.resource] += flavor.units
    held: Counter[str] = Counter()
    for (_, resource), amount in quotas(cohort, "nominalQuota").items():
        held[resource] += amount
    for queue in of_kind(rendered, "ClusterQueue"):
        (space,) = [each for each in of_kind(rendered, "LocalQueue") if _queue_of(each) == name_of(queue)]
        nominal, borrowed = quotas(queue, "nominalQuota"), quotas(queue, "borrowingLimit")
        for resource in {of for _, of in nominal} - {resources.SEVENTHS}:
            own = sum(amount for (_, of), amount in (nominal + borrowed).items() if of == resource)
            assert hard[namespace_of(space)][resources.quota_key(resource)] == str(own)
        for (_, resource), amount in nominal.items():
            held[resource] += amount
    for resource, ceiling in ceilings.items():
        assert held[resource] + serving.get(resource, 0) == ceiling, resource
    in_common = sum(held[resource] * resources.sevenths(resource) for resource in ceilings)
    assert held[resources.SEVENTHS] == in_common


def _queue_of(local: Document) -> str:
    return cast(dict[str, str], local["spec"])["clusterQueue"]


def test_flavors_stand_in_the_pools_own_order() -> None:
    rendered = render(queued_settings())
    for queue in of_kind(rendered, "ClusterQueue"):
        named = [flavor for flavor, resource in quotas(queue, "nominalQuota") if resource == GPU]
        assert named == ["serve-l4-24gb-spot", "serve-l4-24gb-on-demand"]


def test_a_topology_is_on_flavors_of_workers_whose_nodes_stand_already() -> None:
    block = a_static_pool(
        name="block",
        role="worker",
        nodes=2,
        cards=[a_card("L40S-48GB", ["g6e.2xlarge"], [a_market(ceiling_cards=None)])],
    )
    pools: list[Plain] = [a_static_pool(sharing={"mig": "3g.40gb"}), a_slice_pool(), block]
    quota: dict[str, Plain] = {"nvidia.com/mig-3g.40gb": 2, "nvidia.com/mig-1g.10gb": 7, GPU: 2}
    space: dict[str, Plain] = {
        **a_namespace(priorities=["training-normal"], scheduling="queued"),
        "quota": quota,
    }
    rendered = render(some_settings(pools=pools, tenants=[a_tenant(namespaces=[space])]))
    named = {
        name_of(each): cast(dict[str, object], each["spec"]).get("topologyName")
        for each in of_kind(rendered, "ResourceFlavor")
    }
    assert named == {
        "chief-h100-80gb-on-demand": None,
        "block-l40s-48gb-on-demand": names.TOPOLOGY,
        "worker-a100-80gb-on-demand": None,
        names.UNITS_FLAVOR: None,
    }


def test_every_taint_of_a_pool_is_on_its_flavor_and_the_standards_are_answered() -> None:
    own: dict[str, Plain] = {"key": "node-cards", "value": "eight"}
    space = a_namespace(scheduling="queued")
    rendered = render(some_settings(pools=[a_pool(taints=[own])], tenants=[a_tenant(namespaces=[space])]))
    spec = cast(dict[str, list[dict[str, str]]], of_kind(rendered, "ResourceFlavor")[0]["spec"])
    assert {each["key"] for each in spec["nodeTaints"]} - {each["key"] for each in spec["tolerations"]} == {
        "node-cards"
    }


@pytest.mark.parametrize("stack", STACKS)
def test_kueue_is_there_exactly_where_a_namespace_is_queued(stack: str) -> None:
    settings = stack_settings(stack)
    wanted = any(each.scheduling.value == "queued" for tenant in settings.tenants for each in tenant.namespaces)
    rendered = render(settings)
    assert bool(rendered.queue_stages) == bool(rendered.kueue_values) == wanted


@pytest.mark.parametrize(
    ("queue", "scheduling", "path"),
    [
        ({"weight": 2}, "serving", "tenants[serving].queue"),
        ({"keep": {GPU: 3}}, "queued", "tenants[serving].queue.keep[nvidia.com/gpu]"),
        ({"borrow": {"nvidia.com/mig-1g.10gb": 1}}, "queued", "tenants[serving].queue.borrow[nvidia.com/mig-1g.10gb]"),
    ],
)
def test_a_queue_that_means_nothing_is_refused(queue: dict[str, object], scheduling: str, path: str) -> None:
    tenant = a_tenant(queue=queue, namespaces=[a_namespace(scheduling=scheduling)])  # pyright: ignore[reportArgumentType]
    assert path in [fault.path for fault in check(settings_object(tenants=[tenant])).faults]


def test_a_pool_that_a_namespace_names_exists() -> None:
    tenant = a_tenant(namespaces=[a_namespace(pools=["nowhere"])])
    paths = [fault.path for fault in check(settings_object(tenants=[tenant])).faults]
    assert "tenants[serving].namespaces[ml-serving].pools" in paths
