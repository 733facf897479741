"""Where a pod lands: taints, selection, room, shares, claims; which NodePool wins; and who takes an unselective pod."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplatform.accept import check
from gpuplatform.analysis.placement.landing import Obstructs, landing, obstacles, unselective
from gpuplatform.analysis.placement.pod import PodAsk, tolerates
from gpuplatform.analysis.placement.stack import nodepool_view, stack_view
from gpuplatform.analysis.placement.view import LaunchOption, NodePoolView, StackView
from gpuplatform.faults import errors
from gpuplatform.plan.node_pools import plan, reached, selection_of, taints_of, unit_resource
from gpuplatform.render.block import block
from gpuplatform.render.document import kind_of, name_of, namespace_of
from gpuplatform.render.dra import QUOTA_NAME
from gpuplatform.render.stack import render
from gpuplatform.settings.settings import Settings
from gpuplatform.settings.source import Plain
from gpuplatform.standard.requirements import Requirement
from gpuplatform.standard.resources import quota_key
from gpuplatform.standard.taints import Taint, TaintEffect, Toleration, tolerations
from tests.builders import (
    STACKS,
    a_card,
    a_market,
    a_namespace,
    a_pool,
    a_tenant,
    settings_object,
    some_settings,
    stack_settings,
)

GPU = "nvidia.com/gpu"
EVERYTHING = (Toleration("", None, None),)
CARD = (("nvidia.com/gpu", 1),)


def an_option(name: str = "g6.xlarge", cards: int = 1, usd: float | None = 1.0, **more: str) -> LaunchOption:
    labels = {"node.kubernetes.io/instance-type": name, **more}
    return LaunchOption(name, labels, {"nvidia.com/gpu": cards}, 4000 * cards, 16384 * cards, usd)


A_NODEPOOL = NodePoolView(
    name="serve-l4",
    pool="serve",
    labels={"gpu.pool": "infer", "gpu.model": "L4"},
    zones=("a", "b"),
    taints=(
        Taint("nvidia.com/gpu", "present", TaintEffect.NO_SCHEDULE),
        Taint("gpu.pool", "infer", TaintEffect.NO_SCHEDULE),
    ),
    options=(an_option(), an_option("g6.12xlarge", 4, usd=5.0)),
    weight=50,
    replicas=None,
    most_per_container=None,
    claim_template=None,
)


def a_node_pool(**changes: object) -> NodePoolView:
    return replace(A_NODEPOOL, **changes)  # pyright: ignore[reportArgumentType]


def an_ask(*selected: Requirement, cards: int = 1, **changes: object) -> PodAsk:
    devices = (("nvidia.com/gpu", cards),)
    pod = PodAsk(alternatives=(selected,), tolerations=EVERYTHING, devices=devices, largest_container=devices)
    return replace(pod, **changes)  # pyright: ignore[reportArgumentType]


def kinds(ask: PodAsk, pool: NodePoolView = A_NODEPOOL) -> list[Obstructs]:
    return [obstacle.kind for obstacle in obstacles(ask, pool)]


def says(ask: PodAsk, pool: NodePoolView = A_NODEPOOL) -> str:
    return " | ".join(obstacle.says for obstacle in obstacles(ask, pool))


def pods_of(settings: Settings) -> dict[str, PodAsk]:
    """For each pool the pod that pastes its block."""
    return {
        pool.name: PodAsk(
            alternatives=(
                tuple(Requirement(key, "In", (value,)) for key, value in selection_of(pool).as_labels().items()),
            ),
            tolerations=tolerations(taints_of(pool)),
            devices=() if pool.dra else ((unit_resource(pool), 1),),
            largest_container=() if pool.dra else ((unit_resource(pool), 1),),
            claims=(template,) if (template := block(pool).claim_template) else (),
        )
        for pool in settings.pools
    }


@pytest.mark.parametrize("stack", STACKS)
def test_a_pod_with_a_pool_s_block_reaches_every_node_pool_of_it_and_none_of_another(stack: str) -> None:
    settings = stack_settings(stack)
    view = stack_view(settings)
    planned = plan(settings.pools, settings.network.zones)
    for pool in settings.pools:
        outcome = landing(pods_of(settings)[pool.name], view)
        names = {reached_pool.node_pool.name for reached_pool in outcome.reached}
        assert (
            names
            == {node_pool.name for node_pool in reached(pool, planned)}
            == {node_pool_view.name for node_pool_view in view.of_pool(pool.name)}
        )
        assert outcome.pools == (pool.name,)
        assert outcome.wins is not None
        weights = [reached_pool.node_pool.weight for reached_pool in outcome.reached]
        assert outcome.wins.node_pool.weight == max(weights, key=lambda weight: weight or 0)
        assert len(outcome.reached) + len(outcome.kept_from) == len(view.node_pools)


def test_each_missing_toleration_is_named() -> None:
    assert says(an_ask(tolerations=())) == (
        "no toleration of the taint nvidia.com/gpu=present:NoSchedule"
        " | no toleration of the taint gpu.pool=infer:NoSchedule"
    )
    assert kinds(an_ask(tolerations=(Toleration("nvidia.com/gpu", None, None),))) == [Obstructs.TAINT]


def test_each_label_that_differs_is_named_with_what_the_nodes_have() -> None:
    demands = (
        Requirement("gpu.model", "In", ("A100",)),
        Requirement("gpu.mem", "Exists"),
        Requirement("gpu.pool", "NotIn", ("dev",)),
    )
    assert says(an_ask(*demands)) == (
        "selects gpu.model=A100, and its nodes have gpu.model=L4"
        " | selects gpu.mem Exists, and its nodes have no label gpu.mem"
    )


def test_one_alternative_is_enough_and_the_nearest_is_told() -> None:
    wrong, right = Requirement("gpu.model", "In", ("A100",)), Requirement("gpu.model", "In", ("L4",))
    assert kinds(an_ask(alternatives=((wrong,), (right,)))) == []
    nearest = an_ask(alternatives=((wrong, Requirement("a", "Exists")), (wrong,)))
    assert kinds(nearest) == [Obstructs.SELECTION]
    assert "without a term" in says(an_ask(alternatives=()))


def test_what_a_type_alone_has_narrows_the_types() -> None:
    pinned = an_ask(Requirement("node.kubernetes.io/instance-type", "In", ("g6.12xlarge", "p5.48xlarge")))
    (landed,) = landing(pinned, StackView("test", (A_NODEPOOL,), ())).reached
    assert landed.instance_types == ("g6.12xlarge",)
    assert landed.usd_per_hour == (5.0, 5.0)


def test_demands_on_the_zone_are_met_by_one_zone_together() -> None:
    zone = "topology.kubernetes.io/zone"
    in_a, not_a, not_b = (
        Requirement(zone, "In", ("a",)),
        Requirement(zone, "NotIn", ("a",)),
        Requirement(zone, "NotIn", ("b",)),
    )
    assert kinds(an_ask(in_a, not_b)) == []
    assert kinds(an_ask(not_a, not_b)) == [Obstructs.SELECTION] * 2
    assert f"{zone}=a, b" in says(an_ask(in_a, not_a))


def test_a_pod_has_no_operator_that_only_a_nodepool_has() -> None:
    pool = a_node_pool(options=(an_option(cpus="4"),))
    assert kinds(an_ask(Requirement("cpus", "Gt", ("1",))), pool) == []
    assert kinds(an_ask(Requirement("cpus", "Gte", ("1",))), pool) == [Obstructs.SELECTION]


def test_a_node_has_to_have_room_and_the_largest_is_told() -> None:
    assert kinds(an_ask(cards=4)) == []
    assert says(an_ask(cards=5)) == "asks for 5 nvidia.com/gpu, and g6.12xlarge has 4"
    assert "cpu" in says(an_ask(cpu_millis=16_001))
    assert "memory" in says(an_ask(memory_mib=65_537))
    assert kinds(an_ask(cpu_millis=16_000, memory_mib=65_536)) == []


def test_room_has_to_be_in_one_type_and_not_in_several() -> None:
    wide = LaunchOption("wide", {}, {"nvidia.com/gpu": 1}, 100_000, 1_000, None)
    tall = LaunchOption("tall", {}, {"nvidia.com/gpu": 1}, 1_000, 100_000, None)
    pool = a_node_pool(options=(wide, tall))
    assert kinds(an_ask(cpu_millis=50_000), pool) == []
    assert kinds(an_ask(cpu_millis=50_000, memory_mib=50_000), pool) == [Obstructs.SIZE]


def test_a_resource_that_is_not_offered_is_named_beside_what_is() -> None:
    slices = (("nvidia.com/mig-1g.10gb", 1),)
    assert says(an_ask(devices=slices, largest_container=slices)) == (
        "asks for nvidia.com/mig-1g.10gb, and its nodes offer nvidia.com/gpu"
    )


def test_a_container_gets_one_share_and_two_containers_two() -> None:
    shared = a_node_pool(most_per_container=1)
    assert kinds(an_ask(cards=2), shared) == [Obstructs.SHARE]
    assert kinds(an_ask(cards=2, largest_container=CARD), shared) == []


def test_a_claim_is_answered_by_the_pool_that_hands_out_its_template() -> None:
    claiming = an_ask(devices=(), largest_container=(), claims=("card",))
    assert kinds(claiming, a_node_pool(claim_template="card")) == []
    assert "not its template 'slice'" in says(claiming, a_node_pool(claim_template="slice"))
    assert "do not hand out" in says(claiming)


def test_nodes_that_are_there_come_before_nodes_that_have_to_start_and_weight_decides_the_rest() -> None:
    pools = [a_node_pool(name=name, weight=weight) for name, weight in (("light", 1), ("heavy", 90), ("none", None))]
    outcome = landing(an_ask(), StackView("test", tuple(pools), ()))
    assert outcome.wins is not None
    assert outcome.wins.node_pool.name == "heavy"
    static = a_node_pool(name="static", weight=None, replicas=2)
    outcome = landing(an_ask(), StackView("test", (*pools, static), ()))
    assert outcome.wins is not None
    assert outcome.wins.node_pool.name == "static"


def test_prices_are_a_range_and_unknown_where_nobody_knows() -> None:
    (landed,) = landing(an_ask(), StackView("test", (A_NODEPOOL,), ())).reached
    assert landed.usd_per_hour == (1.0, 5.0)
    unpriced = a_node_pool(options=(an_option(usd=None),))
    (landed,) = landing(an_ask(), StackView("test", (unpriced,), ())).reached
    assert landed.usd_per_hour is None


def test_a_wish_to_stay_away_keeps_nobody_away() -> None:
    wish = Taint("a", "b", TaintEffect.PREFER_NO_SCHEDULE)
    assert tolerates((), wish)
    assert kinds(an_ask(tolerations=()), a_node_pool(taints=(wish,))) == []


def test_what_a_pod_admits_of_a_label() -> None:
    infer, dev = Requirement("gpu.pool", "In", ("infer", "dev")), Requirement("gpu.pool", "In", ("dev",))
    assert an_ask(infer, dev).admitted("gpu.pool") == {"dev"}
    assert an_ask(alternatives=((infer,), (dev,))).admitted("gpu.pool") == {"infer", "dev"}
    assert an_ask(alternatives=((infer,), ())).admitted("gpu.pool") is None


@pytest.mark.parametrize("stack", STACKS)
def test_an_unselective_pod_lands_nowhere_in_any_stack(stack: str) -> None:
    assert unselective(stack_view(stack_settings(stack)).node_pools) == []


def test_a_pool_that_takes_an_unselective_pod_is_refused_by_the_gate() -> None:
    raw = settings_object(pools=[a_pool(taint_effect=TaintEffect.PREFER_NO_SCHEDULE.value)])
    (fault,) = errors(check(raw).faults)
    assert fault.path == "pools[serve]"
    assert "serve-l4-24gb-on-demand" in fault.given
    assert "NoSchedule" in fault.change


def test_without_the_purpose_s_taint_an_unselective_pod_would_land() -> None:
    (planned,) = plan(some_settings().pools, ("a",))
    view = nodepool_view(planned, None)
    assert unselective([view]) == []
    open_to_all = replace(view, taints=tuple(taint for taint in view.taints if taint.key != "gpu.pool"))
    assert [fault.path for fault in unselective([open_to_all])] == ["pools[serve]"]
    claimed = replace(open_to_all, options=(), claim_template="card")
    assert unselective([claimed]) == []  # nothing to launch


def test_a_pod_for_no_architecture_stays_off_graviton_and_one_that_tolerates_it_lands_there() -> None:
    arm: Plain = {"name": "arm", "instance_types": ["m7g.large"], "ceiling_vcpus": 32}
    cpu: Plain = {"name": "cpu", "instance_types": ["m7i.large"], "ceiling_vcpus": 32}
    view = stack_view(some_settings(cpu_pools=[cpu, arm]))
    plain = PodAsk(cpu_millis=500)
    assert landing(plain, view).pools == ("cpu",)
    tolerant = replace(plain, tolerations=(Toleration("kubernetes.io/arch", "arm64", None),))
    assert set(landing(tolerant, view).pools) == {"cpu", "arm"}


def test_efa_is_offered_by_pools_with_efa_alone_and_their_nodes_say_so() -> None:
    card = a_card("H100-80GB", ["p5.48xlarge"], [a_market(ceiling_cards=64)])
    wide, plain = a_pool(name="wide", cards=[card], efa=True), a_pool(name="plain", purpose="train", cards=[card])
    view = stack_view(some_settings(pools=[wide, plain]))
    ask = PodAsk(tolerations=EVERYTHING, devices=(("vpc.amazonaws.com/efa", 32),))
    assert landing(ask, view).pools == ("wide",)
    labelled = PodAsk(alternatives=((Requirement("gpu-platform/efa", "In", ("true",)),),), tolerations=EVERYTHING)
    assert landing(labelled, view).pools == ("wide",)


@given(st.lists(st.sampled_from(["nvidia.com/gpu", "gpu.pool", "dedicated"])), st.integers(min_value=1, max_value=6))
def test_a_further_toleration_never_keeps_a_pod_away_and_a_further_card_never_helps(
    keys: list[str], cards: int
) -> None:
    borne = tuple(Toleration(key, None, None) for key in keys)
    fewer = obstacles(an_ask(cards=cards, tolerations=borne[1:]), A_NODEPOOL)
    assert len(obstacles(an_ask(cards=cards, tolerations=borne), A_NODEPOOL)) <= len(fewer)
    assert len(obstacles(an_ask(cards=cards + 1, tolerations=borne[1:]), A_NODEPOOL)) >= len(fewer)


def borrowing() -> Settings:
    space = a_namespace(quota={GPU: 0}, scheduling="queued")
    return some_settings(tenants=[a_tenant(queue={"borrow": {GPU: 4}}, namespaces=[space])])


@pytest.mark.parametrize("settings", [borrowing(), *map(stack_settings, STACKS)], ids=["borrowing", *STACKS])
def test_a_pod_is_held_to_what_its_namespace_may_hold_with_what_it_borrows(settings: Settings) -> None:
    """The same as the API server holds it to."""
    hard = {
        namespace_of(document): cast(dict[str, dict[str, str]], document["spec"])["hard"]
        for document in render(settings).documents
        if kind_of(document) == "ResourceQuota" and name_of(document) != QUOTA_NAME
    }
    for namespace in stack_view(settings).namespaces:
        assert namespace.quota
        for resource, most in namespace.quota.items():
            assert hard[namespace.name][quota_key(resource)] == str(most)
