"""One number divided: quotas over flavors, and read back from the rendered documents (B14)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplatform.accept import check
from gpuplatform.faults import errors
from gpuplatform.plan.queues import flavors, queue_plan
from gpuplatform.render.document import Document, kind_of, name_of, namespace_of
from gpuplatform.render.stack import Rendered, render
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
    return [document for document in rendered.documents if kind_of(document) == kind]


def quotas(document: Document, amount: str) -> Counter[tuple[str, str]]:
    """The quotas of a queue or of the cohort for each flavor and resource."""
    spec = cast(dict[str, list[dict[str, list[Document]]]], document["spec"])
    return Counter(
        {
            (str(flavor["name"]), str(resource_quota["name"])): int(str(resource_quota.get(amount, 0)))
            for group in spec["resourceGroups"]
            for flavor in group["flavors"]
            for resource_quota in cast(Iterable[dict[str, object]], flavor["resources"])
        }
    )


@given(st.integers(0, 6), st.integers(0, 4), st.integers(0, 6))
def test_no_flavor_is_promised_beyond_its_ceiling_and_every_quota_is_whole(
    first: int, second: int, borrow: int
) -> None:
    settings = queued_settings((first, second), borrow)
    rendered = render(settings)
    queues = of_kind(rendered, "ClusterQueue")
    for queue, amount in zip(queues, (first, second), strict=True):
        assert sum(count for (_, of), count in quotas(queue, "nominalQuota").items() if of == GPU) == amount
        assert sum(count for (_, of), count in quotas(queue, "borrowingLimit").items() if of == GPU) == borrow
    promised: Counter[tuple[str, str]] = Counter()
    for queue in queues:
        promised += quotas(queue, "nominalQuota")
    for flavor in flavors(settings.pools, settings.network.zones):
        assert promised[flavor.name, GPU] <= flavor.units


NODE_TYPES = {1: "g6.xlarge", 4: "g6.12xlarge", 8: "g6.48xlarge"}


def a_kind(name: str, cards: int, node: int = 1, spot: int = 0) -> Plain:
    """A pool of nodes of one size, with a taint that keeps other pools' pods away."""
    taint: dict[str, Plain] = {"key": "kind", "value": name}
    markets = [a_market("spot", spot)] * bool(spot) + [a_market(ceiling_cards=cards)]
    return a_pool(name=name, taints=[taint], cards=[a_card(types=[NODE_TYPES[node]], markets=markets)])


def of_pools(name: str, cards: int, pools: Iterable[str], scheduling: str = "queued") -> Plain:
    """A team whose one namespace names its pools."""
    meant: list[Plain] = [*pools]
    space: Plain = a_namespace(name=name, quota={GPU: cards}, scheduling=scheduling, pools=meant)
    return a_tenant(name=name, namespaces=[space])


@given(
    st.lists(st.tuples(st.sampled_from((1, 4, 8)), st.integers(1, 3), st.integers(0, 1)), min_size=1, max_size=4),
    st.lists(
        st.tuples(st.integers(0, 20), st.sets(st.integers(0, 3), min_size=1), st.sampled_from(("queued", "serving"))),
        min_size=1,
        max_size=4,
    ),
    st.sampled_from((0.7, 1.0, 1.5)),
)
def test_whatever_check_accepts_is_divided_whole_and_no_flavor_is_promised_beyond_the_ratio(
    kinds: list[tuple[int, int, int]], claims: list[tuple[int, set[int], str]], ratio: float
) -> None:
    pools = [a_kind(f"pool-{at}", nodes * node, node, spot * node) for at, (node, nodes, spot) in enumerate(kinds)]
    teams = [
        of_pools(f"team-{at}", amount, sorted({f"pool-{number % len(kinds)}" for number in meant}), scheduling)
        for at, (amount, meant, scheduling) in enumerate(claims)
    ]
    loaded = check(settings_object(pools=pools, tenants=teams, queues={"overcommit_ratio": ratio}))
    if loaded.settings is None:
        assert all(error.path.startswith(("queues.", "tenants[")) for error in errors(loaded.faults)), loaded.faults
        return
    division = queue_plan(loaded.settings)
    amounts = {f"team-{at}": amount for at, (amount, _, _) in enumerate(claims)}
    promised: Counter[str] = Counter()
    for team in division.teams:
        assert sum(share.nominal for share in team.shares) == amounts[team.tenant.name]
        promised.update({share.flavor.name: share.nominal for share in team.shares})
    for flavor in division.flavors:
        assert promised[flavor.name] <= flavor.units * ratio


def test_a_team_makes_room_for_another_that_has_nowhere_else_to_go() -> None:
    """Dividing one quota after the other would promise the cards of the shared pool twice."""
    pools = [a_kind("left", 16), a_kind("between", 48), a_kind("right", 32)]
    teams = [of_pools("red", 40, ["left", "between"]), of_pools("blue", 56, ["between", "right"])]
    red, blue = queue_plan(some_settings(pools=pools, tenants=teams)).teams
    assert [share.nominal for share in red.shares] == [16, 24]
    assert [share.nominal for share in blue.shares] == [24, 32]


def test_prods_training_holds_whole_nodes_and_may_borrow_the_rest_of_them() -> None:
    (team,) = queue_plan(stack_settings("prod")).teams
    held = {share.flavor.name: (share.nominal, share.borrow) for share in team.shares if share.flavor.resource == GPU}
    assert held == {
        "chief-l40s-48gb-on-demand": (2, 0),
        "train-single-rtx-pro-6000-96gb-on-demand": (14, 2),
        "train-a100-80gb-on-demand": (32, 16),
        "train-efa-h100-80gb-reserved": (16, 0),
        "train-efa-h100-80gb-on-demand": (8, 8),
    }


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
        namespace_of(resource_quota): cast(dict[str, dict[str, str]], resource_quota["spec"])["hard"]
        for resource_quota in of_kind(rendered, "ResourceQuota")
    }
    (cohort,) = of_kind(rendered, "Cohort")
    ceilings: Counter[str] = Counter()
    for flavor in queue_plan(settings).flavors:
        ceilings[flavor.resource] += flavor.units
    held: Counter[str] = Counter()
    for (_, resource), amount in quotas(cohort, "nominalQuota").items():
        held[resource] += amount
    for queue in of_kind(rendered, "ClusterQueue"):
        local_queues = of_kind(rendered, "LocalQueue")
        (space,) = [local_queue for local_queue in local_queues if _queue_of(local_queue) == name_of(queue)]
        nominal, borrowed = quotas(queue, "nominalQuota"), quotas(queue, "borrowingLimit")
        for resource in {of for _, of in nominal} - {resources.SEVENTHS}:
            most = sum(amount for (_, of), amount in (nominal + borrowed).items() if of == resource)
            assert hard[namespace_of(space)][resources.quota_key(resource)] == str(most)
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
        name_of(flavor): cast(dict[str, object], flavor["spec"]).get("topologyName")
        for flavor in of_kind(rendered, "ResourceFlavor")
    }
    assert named == {
        "chief-h100-80gb-on-demand": None,
        "block-l40s-48gb-on-demand": names.TOPOLOGY,
        "worker-a100-80gb-on-demand": None,
        names.UNITS_FLAVOR: None,
    }


def test_a_graviton_pools_flavor_wears_its_architectures_taint() -> None:
    space = a_namespace(scheduling="queued")
    graviton = a_pool(cards=[a_card("T4G-16GB", ["g5g.xlarge"])])
    rendered = render(some_settings(pools=[graviton], tenants=[a_tenant(namespaces=[space])]))
    spec = cast(dict[str, list[dict[str, str]]], of_kind(rendered, "ResourceFlavor")[0]["spec"])
    assert {"key": "kubernetes.io/arch", "value": "arm64", "effect": "NoSchedule"} in spec["nodeTaints"]


def test_every_taint_of_a_pool_is_on_its_flavor_and_kueue_answers_none_of_them() -> None:
    taint: dict[str, Plain] = {"key": "node-cards", "value": "eight"}
    space = a_namespace(scheduling="queued")
    rendered = render(some_settings(pools=[a_pool(taints=[taint])], tenants=[a_tenant(namespaces=[space])]))
    spec = cast(dict[str, list[dict[str, str]]], of_kind(rendered, "ResourceFlavor")[0]["spec"])
    assert [node_taint["key"] for node_taint in spec["nodeTaints"]] == [
        "nvidia.com/gpu",
        "dedicated",
        "gpu.pool",
        "node-cards",
    ]
    assert "tolerations" not in spec


@pytest.mark.parametrize("stack", STACKS)
def test_kueue_is_there_exactly_where_a_namespace_is_queued(stack: str) -> None:
    settings = stack_settings(stack)
    is_queued = any(
        namespace.scheduling.value == "queued" for tenant in settings.tenants for namespace in tenant.namespaces
    )
    rendered = render(settings)
    assert bool(rendered.queue_stages) == bool(rendered.kueue_values) == is_queued


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
