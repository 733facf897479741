import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuplatform.analysis.sharing import (
    Bound,
    Method,
    Need,
    Option,
    advise,
    also_select,
    first_tried,
    of_catalog,
    of_stack,
    priced_candidates,
    ruled_out,
    what_there_is,
)
from gpuplatform.plan.prices import Prices
from gpuplatform.settings.settings import Cost, Settings
from gpuplatform.settings.source import Plain
from tests.builders import (
    a_card,
    a_market,
    a_pool,
    a_shared_pool,
    a_slice_pool,
    a_static_pool,
    some_settings,
    stack_settings,
)
from tests.examples import examples

PRICES = Prices("us-east-1", Cost(monthly_floor_limit_usd=0, monthly_budget_usd=0))


def a_need(
    memory_gib: float = 8,
    *,
    isolation: bool = True,
    bursty: bool = False,
    cpu_millis: int = 2000,
    host_memory_gib: float = 8,
    cards: int = 1,
    interruptible: bool = False,
) -> Need:
    return Need(memory_gib, isolation, bursty, cpu_millis, host_memory_gib, cards, interruptible)


def best(need: Need) -> Option:
    advice = advise(of_catalog(need, PRICES), need)
    assert advice is not None
    return advice.best


def on(need: Need, instance_type: str, method: Method) -> Option:
    (option,) = (
        option
        for option in of_catalog(need, PRICES)
        if option.node.name == instance_type and option.way.method is method
    )
    return option


# The measured case: 56 slices by the cards, 95690 ÷ 2000 = 47 by the CPU; $27.44705 ÷ 47 = $0.58398 against $0.526.
def test_sevenths_of_a_p4de_run_out_of_cpu_and_a_whole_t4_is_cheaper() -> None:
    need = a_need()
    seventh = on(need, "p4de.24xlarge", Method.MIG)
    assert (seventh.way.profile, seventh.slots.by_cards, seventh.slots.count) == ("1g.10gb", 56, 47)
    assert (seventh.slots.bound, seventh.slots.stranded) == (Bound.CPU, 9)
    assert seventh.usd_per_slot == pytest.approx(27.44705 / 47)
    chosen = best(need)
    assert (chosen.way.method, chosen.node.name) == (Method.WHOLE, "g4dn.xlarge")
    assert chosen.usd_per_slot == pytest.approx(0.526)


# 16 GB ÷ 4 GiB = 4 shares by the card, 3920 ÷ 1000 = 3 by the CPU: $0.526 ÷ 3; an L4 holds 6 on the 8 CPUs of the
# 2xlarge: $0.9776 ÷ 6 = $0.1629.
def test_time_slicing_serves_notebooks_as_far_as_the_host_does() -> None:
    need = a_need(4, isolation=False, bursty=True, cpu_millis=1000, host_memory_gib=2)
    t4 = on(need, "g4dn.xlarge", Method.TIME_SLICING)
    assert (t4.way.units_per_card, t4.slots.count, t4.slots.by_cards, t4.slots.bound) == (3, 3, 4, Bound.CPU)
    assert t4.usd_per_slot == pytest.approx(0.526 / 3)
    chosen = best(need)
    assert (chosen.node.name, chosen.way.units_per_card) == ("g6.2xlarge", 6)
    assert chosen.usd_per_slot == pytest.approx(0.9776 / 6)


# Two-CPU pods with 30 GiB each: a p4de's 1082712 MiB carry 35, its 95690 CPU millis 47, its cards 56; a p4d with 40 GB
# cards has four 1g.10gb on each of 8 cards, 32 in all, at $21.957642 ÷ 32 = $0.68618.
def test_a_slice_pays_where_the_pod_needs_host_memory() -> None:
    need = a_need(9, host_memory_gib=30)
    p4de = on(need, "p4de.24xlarge", Method.MIG)
    assert (p4de.slots.count, p4de.slots.bound) == (35, Bound.MEMORY)
    chosen = best(need)
    assert (chosen.node.name, chosen.way.profile, chosen.slots.count) == ("p4d.24xlarge", "1g.10gb", 32)
    assert chosen.usd_per_slot == pytest.approx(21.957642 / 32)


def test_mps_is_for_steady_work_of_one_team_and_serves_48_at_most() -> None:
    need = a_need(1, isolation=False, cpu_millis=100, host_memory_gib=1)
    assert best(need).way.method is Method.MPS
    shares = [option.way.held_per_card for option in of_catalog(need, PRICES) if option.way.method is Method.MPS]
    assert max(shares) == 48


@pytest.mark.parametrize(
    ("method", "isolation", "bursty", "suits"),
    [
        (Method.WHOLE, True, True, True),
        (Method.MIG, True, False, True),
        (Method.MPS, True, False, False),
        (Method.TIME_SLICING, True, True, False),
        (Method.MPS, False, True, False),
        (Method.MPS, False, False, True),
        (Method.TIME_SLICING, False, False, False),
        (Method.TIME_SLICING, False, True, True),
    ],
)
def test_a_method_suits_a_need_or_says_why_not(method: Method, isolation: bool, bursty: bool, suits: bool) -> None:
    assert (ruled_out(method, a_need(isolation=isolation, bursty=bursty)) is None) is suits


def test_several_cards_of_one_pod_are_whole_and_on_one_node() -> None:
    need = a_need(70, cards=8, cpu_millis=8000, host_memory_gib=64)
    assert {option.way.method for option in of_catalog(need, PRICES)} == {Method.WHOLE}
    assert (best(need).node.name, best(need).slots.count) == ("p4de.24xlarge", 1)
    pairs = on(a_need(70, cards=2), "p4de.24xlarge", Method.WHOLE)
    assert pairs.slots.count == 4


def test_spot_is_taken_at_the_ratio_of_the_settings_only_where_the_pod_bears_it() -> None:
    assert best(a_need(interruptible=True)).usd_per_slot == pytest.approx(0.526 * 0.40)
    dearer = Prices("us-east-1", Cost(monthly_floor_limit_usd=0, monthly_budget_usd=0, spot_price_ratio=0.5))
    assert min(option.usd_per_slot for option in of_catalog(a_need(interruptible=True), dearer)) == pytest.approx(0.263)


def test_where_the_host_carries_few_pods_the_slice_is_the_largest_that_serves_as_many() -> None:
    crowded = on(a_need(8, cpu_millis=8000), "p4de.24xlarge", Method.MIG)  # 95690 ÷ 8000 = 11
    assert (crowded.way.profile, crowded.slots.count) == ("3g.40gb", 11)


# 47810 ÷ 4000 = 11 pods for 4 cards: 3 shares each, of the 4 that the memory holds, and no slot is lost.
def test_there_are_as_many_shares_as_the_host_needs_and_no_slot_is_lost() -> None:
    need = a_need(4, isolation=False, bursty=True, cpu_millis=4000, host_memory_gib=4)
    shared = on(need, "g4dn.12xlarge", Method.TIME_SLICING)
    assert (shared.way.units_per_card, shared.slots.count, shared.slots.by_cards) == (3, 11, 16)


def test_advice_without_a_stack_leaves_old_generations_and_another_architecture_out() -> None:
    offered = {option.card.name for option in of_catalog(a_need(1), PRICES)}
    assert "T4-16GB" in offered
    assert offered.isdisjoint({"V100-32GB", "T4G-16GB"})


def test_a_close_fit_is_said_to_be_one() -> None:
    need = a_need(16)
    advice = advise(of_catalog(need, PRICES), need)
    assert advice is not None
    assert any("measure before you rely on it" in sentence for sentence in advice.why)


needs = st.builds(
    a_need,
    st.floats(0.5, 200),
    isolation=st.booleans(),
    bursty=st.booleans(),
    cpu_millis=st.integers(50, 64_000),
    host_memory_gib=st.floats(0.25, 512),
    cards=st.sampled_from([1, 1, 1, 2, 4, 8]),
    interruptible=st.booleans(),
)


@settings(max_examples=examples(60))
@given(needs)
def test_what_is_offered_fits_its_card_and_its_node(need: Need) -> None:
    for option in of_catalog(need, PRICES):
        pods, node = option.slots.count, option.node
        assert pods >= 1
        assert pods * need.cpu_millis <= node.allocatable_cpu_millis
        assert pods * need.host_memory_gib * 1024 <= node.allocatable_memory_mib * (1 + 1e-6)
        assert pods <= node.max_pods
        assert pods * need.cards <= node.cards * option.way.units_per_card
        assert option.way.unit_memory_gb >= need.memory_gib * (1 - 1e-6)


@settings(max_examples=examples(60))
@given(needs, st.sampled_from(["memory", "cpu", "host", "isolation", "spot"]), st.floats(0.1, 1))
def test_asking_for_less_never_costs_more(need: Need, what: str, part: float) -> None:
    less = Need(
        need.memory_gib * part if what == "memory" else need.memory_gib,
        need.isolation and what != "isolation",
        need.bursty,
        max(1, int(need.cpu_millis * part)) if what == "cpu" else need.cpu_millis,
        need.host_memory_gib * part if what == "host" else need.host_memory_gib,
        need.cards,
        need.interruptible or what == "spot",
    )
    before, after = (advise(of_catalog(stated_need, PRICES), stated_need) for stated_need in (need, less))
    if before is not None:
        assert after is not None
        assert after.best.usd_per_slot <= before.best.usd_per_slot + 1e-9


@settings(max_examples=examples(60))
@given(needs)
def test_nothing_offered_is_explained_and_something_offered_is_the_cheapest(need: Need) -> None:
    options = of_catalog(need, PRICES)
    advice = advise(options, need)
    if advice is None:
        assert what_there_is(need, priced_candidates(PRICES))
    else:
        assert advice.best.usd_per_slot == pytest.approx(min(option.usd_per_slot for option in options))
        prices = [option.usd_per_slot for option in advice.ranked]
        assert prices == sorted(prices)
        assert len(advice.why_not) == len(Method) - 1


@pytest.mark.parametrize(
    ("need", "option", "most"),
    [
        (a_need(400), "--memory-gib", "288 GiB of one card: B300-269GB"),
        (a_need(cards=16), "--cards", "8 cards of one node"),
        (a_need(cpu_millis=1_000_000), "--cpu-millis", "CPU millis"),
        (a_need(host_memory_gib=100_000), "--host-memory-gib", "GiB of host"),
    ],
)
def test_what_no_node_has_is_named_with_the_most_there_is(need: Need, option: str, most: str) -> None:
    (fault,) = what_there_is(need, priced_candidates(PRICES))
    assert fault.path == option
    assert most in fault.allowed


def placed(need: Need, chosen: Settings) -> tuple[tuple[Option, ...], dict[str, str]]:
    options, left_out = of_stack(need, chosen, Prices(chosen.region, chosen.cost))
    return options, dict(left_out)


def test_a_stack_is_asked_for_its_own_pools_and_the_others_say_why() -> None:
    chosen = some_settings(pools=[a_pool(), a_slice_pool(), a_shared_pool(), a_static_pool()])
    options, left_out = placed(a_need(), chosen)
    assert {option.pool.name for option in options if option.pool} == {"serve", "worker"}
    assert "spot" in left_out["notebook"]
    assert "chief" in left_out["chief"]


def test_a_pools_shares_hold_the_pod_or_the_pool_says_how_much_they_have() -> None:
    chosen = some_settings(pools=[a_shared_pool()])
    bursty = a_need(5, isolation=False, bursty=True, cpu_millis=500, host_memory_gib=2, interruptible=True)
    assert placed(bursty, chosen) == ((), {"notebook": "one of its units has 4 GB"})
    fits = a_need(4, isolation=False, bursty=True, cpu_millis=900, host_memory_gib=3, interruptible=True)
    (option,), _ = placed(fits, chosen)
    assert option.usd_per_slot == pytest.approx(0.526 * 0.40 / 4)


def test_prices_are_those_of_the_stacks_region_and_of_its_own_list() -> None:
    contract: Plain = {"instance_type": "g6.xlarge", "usd_per_hour": 9.0, "source": "a contract, 2026-01-01"}
    limits: dict[str, Plain] = {"monthly_floor_limit_usd": 10**6, "monthly_budget_usd": 10**8}
    (option,), _ = placed(a_need(), some_settings(cost={**limits, "prices": [contract]}))
    assert option.usd_per_slot == pytest.approx(9.0)


def test_a_pod_selects_what_keeps_it_off_the_pools_unsuitable_nodes() -> None:
    need = a_need(18)
    options, _ = placed(need, stack_settings("prod"))
    advice = advise(options, need)
    assert advice is not None
    assert also_select(advice.best, need) == {
        "gpu.model": "L4",
        "gpu.mem": "24gb",
        "karpenter.sh/capacity-type": "on-demand",
    }


def test_a_pool_that_suits_whole_needs_nothing_beside_its_block() -> None:
    need = a_need()
    (option,), _ = placed(need, some_settings())
    assert also_select(option, need) == {}


def test_a_pool_tries_its_own_first_choice_and_not_the_cheapest() -> None:
    cards: list[Plain] = [
        a_card("L4-24GB", ["g6.xlarge"], [a_market()]),
        a_card("T4-16GB", ["g4dn.xlarge"], [a_market()]),
    ]
    need = a_need()
    options, _ = placed(need, some_settings(pools=[a_pool(cards=cards)]))
    advice = advise(options, need)
    assert advice is not None
    assert advice.best.card.name == "T4-16GB"
    assert first_tried(advice.best, options).card.name == "L4-24GB"
